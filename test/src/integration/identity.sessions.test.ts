import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { browserOf } from "@nts/identity/flows/sign-in/sign-in-place";
import {
  confirmDeviceSignIn,
  type DeviceCodes,
  finishDeviceSignIn,
  refuseDeviceSignIn,
  showDeviceSignIn,
  startDeviceSignIn,
} from "@nts/shared/contract/device-sign-in";
import { confirmSecondFactor } from "@nts/shared/contract/second-factor";
import { deleteSession, listSessions, revokeOtherSessions, type Session } from "@nts/shared/contract/sessions";
import { changePassword, deleteCurrentUser, login } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import { type Person, tokenOf } from "../support/direct.js";
import { codeOf, setUpSecondFactorEarlier } from "../support/second-factors.js";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNKNOWN = "01938c4a-7d5e-7b21-9f3c-000000000000";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

const stored = () =>
  identity.db.collection<{ _id: string; last_used: Date; expires_at: Date; created_at: Date }>("sessions");
const listOf = ({ principal: as }: Person) => identity.data(listSessions, { as }) as unknown as Promise<Session[]>;
const end = ({ principal: as }: Person, id: string, replica = 0) =>
  identity.send(deleteSession, { as, params: { id }, replica });
const stateOf = async ({ token }: Pick<Person, "token">): Promise<string> =>
  (await identity.verify("session", token)).status;

describe("identity.sessions: a user's own sessions", () => {
  it("are listed with browser and address, oldest first, the current one marked, without those of others", async () => {
    const person = await identity.aPerson();
    await identity.aPerson();
    const { email, password } = person;
    const headers = { "user-agent": FIREFOX, "x-client-address": "203.0.113.7" };
    const second = await identity.send(login, { body: { email, password }, headers });
    const listed = await listOf(person);
    expect(listed).toMatchObject([
      { id: person.principal.credentialId, current: true },
      { browser: "Firefox 131 on Linux", address: "203.0.113.7", current: false },
    ]);
    const secrets = [person.token, tokenOf(second.headers)];
    for (const secret of secrets) expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed.map((one) => Object.keys(one).sort())).toEqual(
      Array.from({ length: 2 }, () => [
        "address",
        "browser",
        "created_at",
        "current",
        "device",
        "expires_at",
        "id",
        "last_used",
        "organization_id",
        "provider",
      ]),
    );
  });

  it("are listed in pages, and without expired ones", async () => {
    const person = await identity.aPerson();
    const second = await identity.logIn(person);
    const third = await identity.logIn(person);
    await stored().updateOne({ _id: second.principal.credentialId }, { $set: { expires_at: new Date() } });
    expect((await listOf(person)).map(({ id }) => id)).toEqual(
      [person, third].map(({ principal }) => principal.credentialId),
    );
    const page = await identity.send(listSessions, { as: person.principal, query: { limit: 1 } });
    expect(page.headers.get("x-list-total")).toBe("2");
  });

  it("are shown with a readable browser name, of bounded length whatever the client sends", () => {
    expect(browserOf(FIREFOX)).toBe("Firefox 131 on Linux");
    expect(browserOf(SAFARI)).toBe("Safari 17 on iOS");
    expect(browserOf("curl/8.5.0")).toBe("curl/8.5.0");
    expect(browserOf(" ")).toBeNull();
    expect(browserOf("x".repeat(10_000))?.length).toBeLessThanOrEqual(60);
  });

  it("have their last use recorded, written at most every five minutes", async () => {
    const person = await identity.aPerson();
    const other = await identity.logIn(person);
    const usedAt = async () => (await listOf(person)).find(({ id }) => id === other.principal.credentialId)?.last_used;
    const usedAtStart = await usedAt();
    const long = new Date(Date.now() - 10 * MINUTE_MS);
    expect(await stateOf(other)).toBe("valid");
    expect(await usedAt()).toBe(usedAtStart);
    const longAgo = { last_used: long, expires_at: new Date(long.getTime() + 7 * DAY_MS) };
    await stored().updateOne({ _id: other.principal.credentialId }, { $set: longAgo });
    expect(await usedAt()).toBe(long.toISOString());
    expect(await stateOf(other)).toBe("valid");
    expect(Date.parse((await usedAt()) ?? "")).toBeGreaterThan(Date.now() - MINUTE_MS);
  });
});

describe("identity.sessions: a session", () => {
  it("is ended by its user from another one, on every replica, with one audit entry", async () => {
    const person = await identity.aPerson();
    const other = await identity.logIn(person);
    const { credentialId: id } = other.principal;
    expect((await end(person, id, 1)).status).toBe(200);
    expect([await stateOf(other), await stateOf(person)]).toEqual(["refused", "valid"]);
    expect(await end(person, id)).toMatchObject({ status: 404, code: "not_found", params: { entity: "Session" } });
    const [entry] = (await identity.entriesOf(person)).slice(-1);
    expect(entry).toMatchObject({
      action: "deleted",
      entity: "Session",
      entity_id: id,
      actor: { user_id: person.userId },
    });
  });

  it("of another user does not exist, even for an Owner of the same organization", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, {});
    const stranger = await identity.aPerson();
    const unknown = await end(owner, UNKNOWN);
    for (const { principal } of [colleague, stranger])
      expect((await end(owner, principal.credentialId)).text).toBe(unknown.text);
    expect(unknown.status).toBe(404);
    expect([await stateOf(colleague), await stateOf(stranger)]).toEqual(["valid", "valid"]);
  });

  it("ends itself, and clears the cookie", async () => {
    const person = await identity.aPerson();
    const { status, headers } = await end(person, person.principal.credentialId);
    expect([status, tokenOf(headers), await stateOf(person)]).toEqual([200, "", "refused"]);
    expect(headers.getSetCookie()[0]).toContain("Max-Age=0");
  });

  it("ends all others of its user, and no other user's", async () => {
    const person = await identity.aPerson();
    const stranger = await identity.aPerson();
    const others = [await identity.logIn(person), await identity.logIn(person)];
    const endOthers = () => identity.data(revokeOtherSessions, { as: person.principal });
    expect(await endOthers()).toEqual({ ended_count: 2 });
    expect(await Promise.all([person, stranger, ...others].map(stateOf))).toEqual([
      "valid",
      "valid",
      "refused",
      "refused",
    ]);
    expect((await identity.actionsOf(person)).slice(-2)).toEqual(["Session deleted", "Session deleted"]);
    expect(await endOthers()).toEqual({ ended_count: 0 });
  });
});

describe("identity.sessions: a program signs in by a code", () => {
  const devices = () => identity.db.collection<{ _id: string; polled_at: Date; expires_at: Date }>("device_sign_ins");
  const start = (address = "203.0.113.50") =>
    identity.data(startDeviceSignIn, {
      body: { name: "nts on web1" },
      headers: { "user-agent": "nts", "x-client-address": address },
    });
  const finish = ({ device_code }: DeviceCodes, replica = 0) =>
    identity.send(finishDeviceSignIn, { body: { device_code }, headers: { "user-agent": "nts" }, replica });
  const given = ({ principal: as }: Person, user_code: string) => ({ as, body: { user_code } });
  const confirm = (person: Person, { user_code }: DeviceCodes) =>
    identity.send(confirmDeviceSignIn, given(person, user_code));
  /** As if all intervals had passed. */
  const later = () => devices().updateMany({}, { $set: { polled_at: new Date(0) } });

  it("that its user enters, seeing who asks, and has a session of the user once, over all replicas", async () => {
    const person = await identity.aPerson();
    const codes = await start();
    expect(codes).toMatchObject({ verification_uri: "http://127.0.0.1/device", interval: 5, expires_in: 600 });
    expect(codes.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    const stored = JSON.stringify(await devices().find().toArray());
    for (const code of [codes.device_code, codes.user_code, codes.user_code.replace("-", "")])
      expect(stored).not.toContain(code);
    const typed = ` ${codes.user_code.toLowerCase().replace("-", " ")}`;
    expect(await identity.data(showDeviceSignIn, given(person, typed))).toMatchObject({
      ...{ name: "nts on web1", program: "nts", address: "203.0.113.50" },
    });
    expect(await finish(codes)).toMatchObject({ status: 400, code: "authorization_pending", params: { interval: 5 } });
    expect((await confirm(person, codes)).status).toBe(200);
    expect((await confirm(person, codes)).code).toBe("not_found");
    const both = await Promise.all([finish(codes, 0), finish(codes, 1)]);
    expect(both.map(({ status, code }) => [status, code]).toSorted()).toEqual([
      [200, ""],
      [400, "expired_token"],
    ]);
    const started = both.find(({ status }) => status === 200)!;
    expect(started.data.id).toBe(person.userId);
    expect(await stateOf({ token: tokenOf(started.headers) })).toBe("valid");
    expect(await listOf(person)).toMatchObject([{ device: false }, { device: true, browser: "nts" }]);
    expect((await identity.entriesOf(person)).at(-1)).toMatchObject({ action: "created", entity: "Session" });
    // It proves no more than the session that confirmed it.
    const as = { ...person.principal, credentialId: (await listOf(person))[1]!.id };
    expect((await identity.send(deleteCurrentUser, { as, body: {} })).code).toBe("reauthentication_required");
  });

  it("but waits longer when it asks too often, and ends when it is refused or expired", async () => {
    const person = await identity.aPerson();
    const codes = await start();
    const asked = [await finish(codes), await finish(codes), await finish(codes)];
    expect(asked.map(({ code, params }) => [code, params["interval"]])).toEqual([
      ["authorization_pending", 5],
      ["slow_down", 10],
      ["slow_down", 15],
    ]);
    await later();
    expect((await finish(codes)).params["interval"]).toBe(15);
    await identity.data(refuseDeviceSignIn, given(person, codes.user_code));
    expect((await confirm(person, codes)).code).toBe("not_found");
    expect((await finish(codes)).code).toBe("access_denied");
    expect((await finish(codes)).code).toBe("expired_token");
    const old = await start();
    await devices().updateMany({}, { $set: { expires_at: new Date() } });
    expect((await confirm(person, old)).code).toBe("not_found");
    expect((await finish(old)).code).toBe("expired_token");
    expect((await identity.send(finishDeviceSignIn, { body: { device_code: "none" } })).code).toBe("expired_token");
  });

  it("has no session when the one that confirmed it has ended, or the password has changed", async () => {
    const person = await identity.aPerson();
    const other = await identity.logIn(person);
    const first = await start();
    await confirm(other, first);
    await end(person, other.principal.credentialId);
    expect((await finish(first)).code).toBe("expired_token");
    const second = await start();
    await confirm(person, second);
    const body = { current_password: person.password, new_password: "another horse battery staple" };
    await identity.data(changePassword, { as: person.principal, body });
    expect((await finish(second)).code).toBe("expired_token");
    expect(await listOf(person)).toHaveLength(1);
  });

  it("only by somebody who has just entered a second factor code, if there is one", async () => {
    const person = await identity.aPerson();
    const before = await start();
    await confirm(person, before);
    const { secret } = await setUpSecondFactorEarlier(identity, person);
    expect((await finish(before)).code).toBe("expired_token");
    const unconfirmed = { $unset: { confirmed_at: "" } } as never;
    await stored().updateOne({ _id: person.principal.credentialId }, unconfirmed);
    const codes = await start();
    expect((await confirm(person, codes)).code).toBe("confirmation_required");
    await identity.data(confirmSecondFactor, { as: person.principal, body: { code: codeOf(secret) } });
    expect((await confirm(person, codes)).status).toBe(200);
    const started = await finish(codes);
    expect(await stateOf({ token: tokenOf(started.headers) })).toBe("valid");
  });

  it("that strangers can neither guess nor crowd out from elsewhere", async () => {
    const person = await identity.aPerson();
    const codes = await start("198.51.100.20");
    const guesses: string[] = [];
    for (let n = 0; n < 6; n++) guesses.push((await identity.send(showDeviceSignIn, given(person, "BBBB-BBBB"))).code);
    expect(guesses).toEqual([...Array.from({ length: 5 }, () => "not_found"), "login_throttled"]);
    expect((await confirm(person, codes)).code).toBe("login_throttled");
    for (let n = 0; n < 55; n++) await start("203.0.113.77");
    expect(await devices().countDocuments({ address: "203.0.113.77" })).toBe(50);
    expect((await confirm(await identity.aPerson(), codes)).status).toBe(200);
  });
});
