import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite } from "@nts/shared/contract/invites";
import { createKey, rotateKey, updateKey } from "@nts/shared/contract/keys";
import {
  confirmSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  loginSecondFactor,
  offerSecondFactor,
  renewRecoveryCodes,
} from "@nts/shared/contract/second-factor";
import { changePassword, login, updateUser } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import { keyBodyOf, type Person, tokenOf } from "../support/direct.js";
import { codeOf, setUpSecondFactorEarlier, wrongCode } from "../support/second-factors.js";

const HERE = { "x-client-address": "192.0.2.1" };
const ELSEWHERE = { "x-client-address": "198.51.100.7" };

/** A person with a second factor. */
interface SecuredPerson extends Person {
  readonly secret: string;
  readonly recovery: readonly string[];
}

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

interface StoredUser {
  readonly _id: string;
  readonly password_hash: string;
  readonly second_factor?: { readonly secret: string; readonly last_step: number; readonly recovery: string[] };
}
const users = () => identity.db.collection<StoredUser>("users");
const storedOf = async ({ userId }: Person) => (await users().findOne({ _id: userId }))!;
const failures = () => identity.db.collection("login_failures");

const secure = async (person: Person): Promise<SecuredPerson> => ({
  ...person,
  ...(await setUpSecondFactorEarlier(identity, person)),
});
const aSecuredPerson = async (): Promise<SecuredPerson> => secure(await identity.aPerson());

const firstStep = ({ email, password }: Pick<Person, "email" | "password">, headers = HERE) =>
  identity.send(login, { body: { email, password }, headers });
async function challengeOf(person: Pick<Person, "email" | "password">): Promise<string> {
  const { status, code, params, headers } = await firstStep(person);
  expect([status, code, headers.getSetCookie()]).toEqual([401, "second_factor_required", []]);
  return String(params["challenge"]);
}
const secondStep = (challenge: string, code: string, headers = HERE, replica = 0) =>
  identity.send(loginSecondFactor, { body: { challenge, code }, headers, replica });
const stateOf = async (token: string) => (await identity.verify("session", token)).status;
const asUser = ({ principal: as }: Person) => ({ as });
/** As if no code had been accepted yet. */
const clearAcceptedSteps = ({ userId }: Person) =>
  users().updateOne({ _id: userId }, { $set: { "second_factor.last_step": 0 } as never });
const unconfirm = ({ principal }: Person) =>
  identity.db
    .collection<{ _id: string }>("sessions")
    .updateOne({ _id: principal.credentialId }, { $unset: { confirmed_at: "" } });

describe("identity.second-factor: setting one up", () => {
  it("requires the password, and takes effect after a valid code", async () => {
    const person = await identity.aPerson();
    const { principal: as, password } = person;
    expect(await identity.send(offerSecondFactor, { as, body: { password: "wrong" } })).toMatchObject({
      code: "invalid_credentials",
    });
    const { secret, otpauth_url } = await identity.data(offerSecondFactor, { as, body: { password } });
    expect(otpauth_url).toContain(`secret=${secret}`);
    expect(otpauth_url).toContain(encodeURIComponent(person.email));
    expect((await firstStep(person)).status).toBe(200);
    const tried = await identity.send(enableSecondFactor, { as, body: { code: wrongCode(secret) } });
    expect([tried.status, tried.code]).toEqual([401, "second_factor_invalid"]);
    expect((await firstStep(person)).status).toBe(200);
    const { recovery_codes } = await identity.data(enableSecondFactor, { as, body: { code: codeOf(secret) } });
    expect(new Set(recovery_codes).size).toBe(10);
    expect(await identity.data(getSecondFactor, { as })).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    expect(await firstStep(person)).toMatchObject({ status: 401, code: "second_factor_required" });
  });

  it("ends all other sessions of the user, and no key", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const others = [tokenOf((await firstStep(person)).headers), tokenOf((await firstStep(person, ELSEWHERE)).headers)];
    await secure(person);
    expect(await Promise.all([person.token, ...others].map(stateOf))).toEqual(["valid", "refused", "refused"]);
    expect((await identity.verify("key", key.secret)).status).toBe("valid");
    expect((await identity.actionsOf(person)).filter((action) => action === "Session deleted")).toHaveLength(2);
  });

  it("leaves no session of a sign-in with the password alone that ran at the same time, on any replica", async () => {
    const person = await identity.aPerson();
    const { principal: as, password } = person;
    const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
    const signIn = (replica: number) =>
      identity.send(login, { body: { email: person.email, password }, headers: HERE, replica });
    const [enabled, ...signedIn] = await Promise.all([
      identity.send(enableSecondFactor, { as, body: { code: codeOf(secret) } }),
      ...[0, 1, 0, 1].map(signIn),
    ]);
    expect(enabled.status).toBe(200);
    const tokens = signedIn.filter(({ status }) => status === 200).map(({ headers }) => tokenOf(headers));
    expect(await Promise.all(tokens.map(stateOf))).toEqual(tokens.map(() => "refused"));
    expect(await stateOf(person.token)).toBe("valid");
  });

  it("stores neither the secret nor a recovery code readable in the database", async () => {
    const secured = await aSecuredPerson();
    const stored = JSON.stringify(await storedOf(secured));
    for (const secret of [secured.secret, ...secured.recovery]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.replaceAll("-", ""));
    }
  });

  it("rejects a secret that was offered long ago, or to another user", async () => {
    const person = await identity.aPerson();
    const other = await identity.aPerson();
    const { secret } = await identity.data(offerSecondFactor, {
      ...asUser(person),
      body: { password: person.password },
    });
    const body = { code: codeOf(secret) };
    expect(await identity.send(enableSecondFactor, { ...asUser(other), body })).toMatchObject({ code: "not_found" });
    await users().updateOne(
      { _id: person.userId },
      { $set: { "second_factor_offer.expires_at": new Date(0) } as never },
    );
    expect(await identity.send(enableSecondFactor, { ...asUser(person), body })).toMatchObject({ code: "not_found" });
  });

  it("rejects a secret that was moved from another user in the database", async () => {
    const person = await aSecuredPerson();
    const attacker = await aSecuredPerson();
    const { second_factor } = await storedOf(attacker);
    await users().updateOne(
      { _id: person.userId },
      { $set: { "second_factor.secret": second_factor!.secret } as never },
    );
    const response = await secondStep(await challengeOf(person), codeOf(attacker.secret));
    expect([response.status, response.code, response.headers.getSetCookie()]).toEqual([
      501,
      "second_factor_not_configured",
      [],
    ]);
  });
});

describe("identity.second-factor: signing in", () => {
  it("begins no session before the code, and one with it, with audit entries", async () => {
    const secured = await aSecuredPerson();
    const challenge = await challengeOf(secured);
    expect(await stateOf(challenge)).toBe("refused");
    const started = await secondStep(challenge, codeOf(secured.secret), HERE, 1);
    expect([started.status, started.data.id]).toEqual([200, secured.userId]);
    expect(await stateOf(tokenOf(started.headers))).toBe("valid");
    expect((await identity.actionsOf(secured)).slice(-1)).toEqual(["Session created"]);
  });

  it("accepts a challenge once, and a code once, over all replicas", async () => {
    const secured = await aSecuredPerson();
    const first = await challengeOf(secured);
    const second = await challengeOf(secured);
    const code = codeOf(secured.secret);
    const both = await Promise.all([secondStep(first, code, HERE, 0), secondStep(second, code, ELSEWHERE, 1)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    const [used, left] = both[0].status === 200 ? [first, second] : [second, first];
    expect((await secondStep(used, codeOf(secured.secret, 1))).code).toBe("challenge_expired");
    expect((await secondStep(left, codeOf(secured.secret, -1))).code).toBe("second_factor_invalid");
    expect((await secondStep(left, codeOf(secured.secret, 1))).status).toBe(200);
  });

  it("accepts each recovery code once, in any spelling, also in concurrent requests", async () => {
    const secured = await aSecuredPerson();
    const [code = "", other = ""] = secured.recovery;
    const first = await challengeOf(secured);
    const second = await challengeOf(secured);
    const third = await challengeOf(secured);
    const written = ` ${code.toUpperCase().replaceAll("-", " ")} `;
    const both = await Promise.all([secondStep(first, code, HERE, 0), secondStep(second, written, ELSEWHERE, 1)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect((await secondStep(third, code)).code).toBe("second_factor_invalid");
    expect((await secondStep(third, other)).status).toBe(200);
    expect(await identity.data(getSecondFactor, asUser(secured))).toMatchObject({ recovery_codes_left: 8 });
    expect(await identity.actionsOf(secured, { action: "recovery_code_used" })).toHaveLength(2);
  });

  it("ends at the expiry of the challenge, with another password, and with another second factor", async () => {
    const secured = await aSecuredPerson();
    const { principal: as, password } = secured;
    const over = await challengeOf(secured);
    await identity.db
      .collection("challenges")
      .updateMany({ user_id: secured.userId }, { $set: { expires_at: new Date() } });
    expect((await secondStep(over, codeOf(secured.secret))).code).toBe("challenge_expired");
    const before = await challengeOf(secured);
    const body = { current_password: password, new_password: "another horse battery staple" };
    await identity.data(changePassword, { as, body });
    expect((await secondStep(before, codeOf(secured.secret))).code).toBe("challenge_expired");
    expect((await secondStep("no challenge at all", "123456")).code).toBe("challenge_expired");
  });

  it("no longer works with the password alone once a second factor is set up, also for a sign-in in progress", async () => {
    const secured = await aSecuredPerson();
    const next = { ...secured, password: "another horse battery staple" };
    const body = { current_password: secured.password, new_password: next.password };
    const changed = await identity.send(changePassword, { ...asUser(secured), body });
    expect(await stateOf(tokenOf(changed.headers))).toBe("valid");
    expect((await secondStep(await challengeOf(next), codeOf(secured.secret))).status).toBe(200);
  });
});

describe("identity.second-factor: guessing codes", () => {
  it("causes a wait after the fifth, on every replica, also between right passwords, but not for the owner elsewhere", async () => {
    const secured = await aSecuredPerson();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const challenge = await challengeOf(secured);
      statuses.push((await secondStep(challenge, wrongCode(secured.secret), HERE, n % 2)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const refused = await secondStep(await challengeOf(secured), codeOf(secured.secret), HERE, 1);
    expect([refused.code, Number(refused.params["retry_after_seconds"]) <= 5]).toEqual(["login_throttled", true]);
    expect((await secondStep(await challengeOf(secured), codeOf(secured.secret), ELSEWHERE)).status).toBe(200);
    await identity.settled();
    const entries = await identity.entriesOf(secured, { action: "second_factor_failed" });
    expect(entries.map(({ attempts, address }) => [attempts, address])).toEqual([1, 2, 4].map((n) => [n, "192.0.2.1"]));
  });

  it("from many addresses causes a wait up to a quarter of an hour, but not for the owner at a known address", async () => {
    const secured = await aSecuredPerson();
    expect((await secondStep(await challengeOf(secured), codeOf(secured.secret), ELSEWHERE)).status).toBe(200);
    for (let n = 0; n < 21; n++) {
      const from = { "x-client-address": `203.0.113.${n}` };
      await secondStep(await challengeOf(secured), wrongCode(secured.secret), from);
    }
    const unknown = { "x-client-address": "203.0.113.200" };
    const code = codeOf(secured.secret, 1);
    expect((await secondStep(await challengeOf(secured), code, unknown)).code).toBe("login_throttled");
    expect((await secondStep(await challengeOf(secured), code, ELSEWHERE)).status).toBe(200);
    expect(await failures().countDocuments({ failures: { $gt: 21 } })).toBe(0);
  });

  it("is limited to a number of challenges at a time", async () => {
    const secured = await aSecuredPerson();
    for (let n = 0; n < 13; n++) await challengeOf(secured);
    expect(await identity.db.collection("challenges").countDocuments({ user_id: secured.userId })).toBe(10);
  });
});

describe("identity.second-factor: an unconfirmed session", () => {
  it("creates and rotates no key of an Admin or Owner, makes and invites none, and changes no second factor", async () => {
    const secured = await aSecuredPerson();
    const { principal: as, password } = secured;
    const colleague = await identity.aColleague(secured, { permissions: "Member" });
    const key = await identity.aKey(secured, { permissions: "Owner" });
    const lower = await identity.aKey(secured, { permissions: "Member" });
    const refused = [
      ...(["Admin", "Owner"] as const).flatMap((permissions) => [
        () => identity.send(createKey, { as, body: keyBodyOf(secured, { permissions }) }),
        () => identity.send(updateKey, { as, params: lower.params, body: keyBodyOf(secured, { permissions }) }),
        () => identity.send(createInvite, { as, body: { permissions } }),
        () => identity.send(updateUser, { as, params: { id: colleague.userId }, body: { permissions } }),
      ]),
      () => identity.send(rotateKey, { as, params: key.params }),
      () => identity.send(offerSecondFactor, { as, body: { password } }),
      () => identity.send(renewRecoveryCodes, { as }),
      () => identity.send(disableSecondFactor, { as }),
    ];
    await unconfirm(secured);
    for (const ask of refused) expect(await ask()).toMatchObject({ status: 403, code: "confirmation_required" });
    await identity.data(createKey, { as, body: keyBodyOf(secured, { permissions: "Member" }) });
    await identity.data(updateKey, {
      as,
      params: key.params,
      body: keyBodyOf(secured, { permissions: "Owner", name: "renamed" }),
    });
    await identity.data(createInvite, { as, body: { permissions: "Member" } });

    await identity.data(confirmSecondFactor, { as, body: { code: codeOf(secured.secret) } });
    for (const ask of refused) expect(await ask()).toMatchObject({ status: 200 });
    expect(await firstStep(secured)).toMatchObject({ status: 200 });
  });

  it("is confirmed for ten minutes, individually, and by no code twice", async () => {
    const secured = await aSecuredPerson();
    const body = { code: codeOf(secured.secret) };
    await unconfirm(secured);
    const started = await secondStep(await challengeOf(secured), body.code);
    expect(started.status).toBe(200);
    expect(await identity.send(confirmSecondFactor, { ...asUser(secured), body })).toMatchObject({
      code: "second_factor_invalid",
    });
    await clearAcceptedSteps(secured);
    const { confirmed_until } = await identity.data(confirmSecondFactor, { ...asUser(secured), body });
    expect(Math.abs(Date.parse(confirmed_until) - Date.now() - 600_000)).toBeLessThan(30_000);
    const longAgo = new Date(Date.now() - 600_001);
    await identity.db
      .collection<{ _id: string }>("sessions")
      .updateOne({ _id: secured.principal.credentialId }, { $set: { confirmed_at: longAgo } });
    expect(await identity.send(renewRecoveryCodes, asUser(secured))).toMatchObject({ code: "confirmation_required" });
  });

  it("needs no confirmation when its user has no second factor", async () => {
    const person = await identity.aPerson();
    await identity.aKey(person, { permissions: "Owner" });
    await identity.data(createInvite, { ...asUser(person), body: { permissions: "Owner" } });
    expect(await identity.send(confirmSecondFactor, { ...asUser(person), body: { code: "123456" } })).toMatchObject({
      code: "not_found",
    });
    expect(await identity.send(disableSecondFactor, asUser(person))).toMatchObject({ code: "not_found" });
  });
});

describe("identity.second-factor: changing an existing one", () => {
  it("replaces it by another app, whose codes alone are valid then", async () => {
    const before = await aSecuredPerson();
    const after = await secure(before);
    expect((await secondStep(await challengeOf(after), codeOf(before.secret))).code).toBe("second_factor_invalid");
    expect((await secondStep(await challengeOf(after), before.recovery[0] ?? "")).code).toBe("second_factor_invalid");
    expect((await secondStep(await challengeOf(after), codeOf(after.secret))).status).toBe(200);
  });

  it("replaces the recovery codes by new ones", async () => {
    const secured = await aSecuredPerson();
    const { recovery_codes } = await identity.data(renewRecoveryCodes, asUser(secured));
    const challenge = await challengeOf(secured);
    expect((await secondStep(challenge, secured.recovery[0] ?? "")).code).toBe("second_factor_invalid");
    expect((await secondStep(challenge, recovery_codes[0] ?? "")).status).toBe(200);
    expect(await identity.actionsOf(secured, { entity: "User" })).toEqual(
      expect.arrayContaining(["User second_factor_enabled", "User recovery_codes_renewed", "User recovery_code_used"]),
    );
  });

  it("disables it, after which the password is sufficient", async () => {
    const secured = await aSecuredPerson();
    await identity.data(disableSecondFactor, asUser(secured));
    expect((await firstStep(secured)).status).toBe(200);
    expect(await storedOf(secured)).not.toHaveProperty("second_factor");
    expect((await identity.actionsOf(secured, { action: "second_factor_disabled" })).length).toBe(1);
  });
});
