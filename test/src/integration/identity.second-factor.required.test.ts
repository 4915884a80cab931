import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite } from "@nts/shared/contract/invites";
import { getOrganization, patchOrganization, updateOrganization } from "@nts/shared/contract/organizations";
import {
  disableSecondFactor,
  enableSecondFactorAtLogin,
  loginSecondFactor,
  offerSecondFactorAtLogin,
} from "@nts/shared/contract/second-factor";
import { getUser, login, register } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import { type Person, tokenOf } from "../support/direct.js";
import { codeOf, setUpSecondFactorEarlier, wrongCode } from "../support/second-factors.js";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

const secure = (person: Person) => setUpSecondFactorEarlier(identity, person);
const setRequired = ({ principal: as, organizationId: id }: Person, require_second_factor: boolean, replica = 0) =>
  identity.send(patchOrganization, { as, params: { id }, body: { require_second_factor }, replica });
async function aCarefulOwner(): Promise<Person> {
  const owner = await identity.aPerson();
  await secure(owner);
  expect((await setRequired(owner, true)).status).toBe(200);
  return owner;
}
async function codeOfCredential(kind: "key" | "session", secret: string, replica = 1): Promise<string> {
  const verified = await identity.verify(kind, secret, replica);
  return verified.status === "valid" ? "valid" : verified.code;
}
async function challengeOf({ email, password }: Pick<Person, "email" | "password">): Promise<string> {
  const { code, params } = await identity.send(login, { body: { email, password } });
  expect([code, params["set_up"]]).toEqual(["second_factor_required", true]);
  return String(params["challenge"]);
}
const offer = (challenge: string) => identity.send(offerSecondFactorAtLogin, { body: { challenge } });
const enable = (challenge: string, code: string, replica = 0) =>
  identity.send(enableSecondFactorAtLogin, { body: { challenge, code }, replica });

describe("identity.second-factor: an organization that requires one", () => {
  it("rejects the sessions and keys of users without one, on every replica, and no others", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    const careful = await identity.aColleague(owner, {});
    const stranger = await identity.aPerson();
    await Promise.all([secure(owner), secure(careful)]);
    const keys = [await identity.aKey(member), await identity.aKey(careful)];
    const all = () =>
      Promise.all([
        ...[member, careful, owner, stranger].map(({ token }) => codeOfCredential("session", token)),
        ...keys.map(({ secret }) => codeOfCredential("key", secret)),
      ]);
    expect(new Set(await all())).toEqual(new Set(["valid"]));
    expect((await setRequired(owner, true)).status).toBe(200);
    const lacking = "second_factor_required";
    expect(await all()).toEqual([lacking, "valid", "valid", "valid", lacking, "valid"]);
    expect((await setRequired(owner, false)).status).toBe(200);
    expect(new Set(await all())).toEqual(new Set(["valid"]));
    const [entry] = (await identity.entriesOf(owner, { entity: "Organization", action: "updated" })).slice(-1);
    expect(entry?.fields).toEqual(["require_second_factor"]);
  });

  it("is configured in a confirmed session of an Owner with one, by no key, and never by a user without one", async () => {
    const owner = await identity.aPerson();
    const { secret } = await identity.aKey(owner, { permissions: "Owner" });
    expect(await setRequired(owner, true)).toMatchObject({ status: 403, code: "confirmation_required" });
    await secure(owner);
    const verified = await identity.verify("key", secret);
    if (verified.status !== "valid") throw new Error(verified.code);
    const as = { ...owner.principal, kind: "key" as const, credentialId: verified.principal.credential_id };
    expect(await setRequired({ ...owner, principal: as }, true)).toMatchObject({ code: "session_required" });
    await identity.db.collection("sessions").updateMany({ user_id: owner.userId }, { $unset: { confirmed_at: "" } });
    expect(await setRequired(owner, true)).toMatchObject({ code: "confirmation_required" });
    const body = { name: "renamed", api_access_enabled: true };
    await identity.data(updateOrganization, { as: owner.principal, params: { id: owner.organizationId }, body });
    expect(await identity.data(getOrganization, { as })).toMatchObject({ require_second_factor: false });
  });
});

describe("identity.second-factor: an organization that keeps requiring one", () => {
  it("is unchanged by a client that does not know the setting, and when it is sent back", async () => {
    const owner = await aCarefulOwner();
    const { principal: as, organizationId: id } = owner;
    await identity.db.collection("sessions").updateMany({ user_id: owner.userId }, { $unset: { confirmed_at: "" } });
    const body = { name: "renamed", api_access_enabled: true };
    await identity.data(updateOrganization, { as, params: { id }, body });
    expect((await setRequired(owner, true)).status).toBe(200);
    expect(await identity.data(getOrganization, { as })).toMatchObject({
      name: "renamed",
      require_second_factor: true,
    });
  });

  it("rejects users who disable theirs, until there is one again", async () => {
    const owner = await aCarefulOwner();
    await identity.data(disableSecondFactor, { as: owner.principal });
    expect(await codeOfCredential("session", owner.token)).toBe("second_factor_required");
    const challenge = await challengeOf(owner);
    const { secret } = (await offer(challenge)).data;
    const enabled = await enable(challenge, codeOf(secret));
    expect(await codeOfCredential("session", tokenOf(enabled.headers))).toBe("valid");
    expect(await codeOfCredential("session", owner.token)).toBe("session_expired");
  });
});

describe("identity.second-factor: signing in without one where it is required", () => {
  it("gives no session before it is set up, and then one, while keys remain and earlier sessions end", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    const key = await identity.aKey(member);
    await secure(owner);
    await setRequired(owner, true);
    const challenge = await challengeOf(member);
    expect((await identity.send(loginSecondFactor, { body: { challenge, code: "123456" } })).code).toBe(
      "challenge_expired",
    );
    expect((await enable(challenge, "123456")).code).toBe("not_found");
    const { secret, otpauth_url } = (await offer(challenge)).data;
    expect(otpauth_url).toContain(encodeURIComponent(member.email));
    const wrong = await enable(challenge, wrongCode(secret));
    expect([wrong.code, wrong.headers.getSetCookie()]).toEqual(["second_factor_invalid", []]);
    const enabled = await enable(challenge, codeOf(secret), 1);
    expect(enabled.data.user).toMatchObject({ id: member.userId, second_factor: true });
    expect(enabled.data.recovery_codes).toHaveLength(10);
    const sessions = [tokenOf(enabled.headers), member.token];
    expect(await Promise.all(sessions.map((token) => codeOfCredential("session", token)))).toEqual([
      "valid",
      "session_expired",
    ]);
    expect(await codeOfCredential("key", key.secret)).toBe("valid");
    const seen = await identity.data(getUser, { as: owner.principal, params: { id: member.userId } });
    expect(seen.second_factor).toBe(true);
    expect((await identity.actionsOf(owner)).slice(-3)).toEqual([
      "User second_factor_enabled",
      "Session deleted",
      "Session created",
    ]);
    const again = await identity.send(login, { body: { email: member.email, password: member.password } });
    expect([again.code, again.params["set_up"]]).toEqual(["second_factor_required", false]);
  });

  it("rejects a used challenge, and one from before another password or another app", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    await secure(owner);
    await setRequired(owner, true);
    const first = await challengeOf(member);
    const second = await challengeOf(member);
    const { secret } = (await offer(first)).data;
    const both = await Promise.all([enable(first, codeOf(secret), 0), enable(second, codeOf(secret), 1)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    for (const challenge of [first, second]) expect((await offer(challenge)).code).toBe("challenge_expired");
    const entries = await identity.actionsOf(owner, { action: "second_factor_enabled" });
    expect(entries).toHaveLength(2);
  });

  it("requires an invited user to set one up at the first sign-in, without a session before", async () => {
    const owner = await aCarefulOwner();
    const { token } = await identity.data(createInvite, { as: owner.principal, body: { permissions: "Member" } });
    const email = `new-${owner.userId}@example.com`;
    const password = "correct horse battery staple";
    const joined = await identity.send(register, { body: { email, password, invite_token: token } });
    expect([joined.status, joined.data.organization_id, tokenOf(joined.headers)]).toEqual([
      200,
      owner.organizationId,
      "",
    ]);
    const challenge = await challengeOf({ email, password });
    const { secret } = (await offer(challenge)).data;
    expect((await enable(challenge, codeOf(secret))).status).toBe(200);
  });
});
