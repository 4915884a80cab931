import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { browserOf } from "@nts/identity/flows/sign-in/sign-in-place";
import { deleteSession, listSessions, revokeOtherSessions, type Session } from "@nts/shared/contract/sessions";
import { login } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import { type Person, tokenOf } from "../support/direct.js";

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
