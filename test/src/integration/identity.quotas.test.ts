import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite, listInvites, revokeInvite } from "@nts/shared/contract/invites";
import { createKey, deleteKey } from "@nts/shared/contract/keys";
import { login, register } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import { keyBodyOf, type Person, tokenOf } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const MAX_OPEN = 3;
const MAX_KEYS = 4;
/** Of an organization. */
const MAX_KEYS_TOGETHER = 6;
const MAX_REGISTRATIONS = 40;
const DAY_MS = 86_400_000;

let identity: Identity;

beforeAll(async () => {
  const quotas = {
    keysPerUser: MAX_KEYS,
    keysPerOrganization: MAX_KEYS_TOGETHER,
    sessionsPerUser: MAX_OPEN,
    invitesPerOrganization: MAX_OPEN,
    registrationsPerSite: MAX_REGISTRATIONS,
    untilVerified: true,
    idempotencyKeysPerUser: MAX_OPEN,
  };
  identity = await startIdentity({ replicas: [{ quotas }, { quotas }] });
});
afterAll(() => identity.stop());

describe("identity.quotas: sessions of a user", () => {
  const stateOf = async ({ token }: Pick<Person, "token">): Promise<string> => {
    const verified = await identity.verify("session", token);
    return verified.status === "valid" ? "valid" : verified.code;
  };
  const statesOf = (sessions: readonly Pick<Person, "token">[]) => Promise.all(sessions.map(stateOf));
  const logIn = async ({ email, password }: Person, replica: number, headers: Record<string, string> = {}) => {
    const response = await identity.send(login, { replica, headers, body: { email, password } });
    expect(response.status).toBe(200);
    return { token: tokenOf(response.headers) };
  };

  it("end with the least recently used one when there is one too many, and for no other user", async () => {
    const first = await identity.aPerson();
    const stranger = await identity.aPerson();
    const sessions = [first, await identity.logIn(first), await identity.logIn(first)];
    // The first one was used meanwhile, which extends it.
    const sliding = identity.db.collection<{ _id: string }>("sessions");
    const later = new Date(Date.now() + 8 * DAY_MS);
    await sliding.updateOne({ _id: first.principal.credentialId }, { $set: { expires_at: later } });
    const fourth = await identity.logIn(first);
    expect(await statesOf([...sessions, fourth, stranger])).toEqual([
      "valid",
      "session_expired",
      "valid",
      "valid",
      "valid",
    ]);
  });

  it("never exceed the maximum, also when they begin concurrently on several replicas", async () => {
    const person = await identity.aPerson();
    const logins = await Promise.all(Array.from({ length: 6 }, (_, n) => logIn(person, n % 2)));
    const states = await statesOf([person, ...logins]);
    expect(states.filter((state) => state === "valid")).toHaveLength(MAX_OPEN);
  });

  it("do not end when the browser that signs in again had one of them", async () => {
    const person = await identity.aPerson();
    const others = [await identity.logIn(person), await identity.logIn(person)];
    const again = await logIn(person, 0, { [INTERNAL.sessionHashes]: hashCredential(person.token) });
    expect(await statesOf([person, ...others, again])).toEqual(["session_expired", "valid", "valid", "valid"]);
  });
});

describe("identity.quotas: API keys", () => {
  const createMany = async (person: Person, count: number) => {
    const body = keyBodyOf(person);
    const responses = await Promise.all(
      Array.from({ length: count }, (_, n) => identity.send(createKey, { as: person.principal, replica: n % 2, body })),
    );
    const made = responses.flatMap(({ status, data }) => (status === 200 ? [data.api_key] : []));
    const refused = responses.filter(({ status }) => status !== 200).map(({ code, params }) => [code, params]);
    return { made, refused };
  };
  const refused = (limit: number, times: number) =>
    Array.from({ length: times }, () => ["quota_exceeded", { entity: "UserApiKey", limit }]);

  it("are limited for a user and for an organization, exactly, also for concurrent creations", async () => {
    const owner = await identity.aPerson();
    const other = await identity.aPerson();
    const colleague = await identity.aColleague(owner, {});
    const own = await createMany(owner, 8);
    expect([own.made.length, own.refused]).toEqual([MAX_KEYS, refused(MAX_KEYS, 4)]);
    const theirs = await createMany(colleague, 4);
    expect([theirs.made.length, theirs.refused]).toEqual([2, refused(MAX_KEYS_TOGETHER, 2)]);
    expect((await createMany(other, 1)).made).toHaveLength(1);
    await identity.data(deleteKey, { as: owner.principal, params: own.made[0]! });
    const again = await createMany(colleague, 2);
    expect([again.made.length, again.refused]).toEqual([1, refused(MAX_KEYS_TOGETHER, 1)]);
  });
});

describe("identity.quotas: open invites of an organization", () => {
  const invite = ({ principal }: Person, replica = 0) =>
    identity.send(createInvite, { as: principal, replica, body: { permissions: "Member" } });

  it("are limited exactly to the maximum, until one is revoked or has expired", async () => {
    const person = await identity.aPerson();
    const stranger = await identity.aPerson();
    const responses = await Promise.all(Array.from({ length: 2 * MAX_OPEN }, (_, n) => invite(person, n % 2)));
    const made = responses.filter(({ status }) => status === 200).map(({ data }) => data.id);
    expect(made).toHaveLength(MAX_OPEN);
    const refused = { status: 403, code: "quota_exceeded", params: { entity: "Invite", limit: MAX_OPEN } };
    expect(responses.filter(({ status }) => status !== 200)).toMatchObject([refused, refused, refused]);
    expect(await identity.data(listInvites, { as: person.principal })).toHaveLength(MAX_OPEN);
    expect((await invite(stranger)).status).toBe(200);

    await identity.data(revokeInvite, { as: person.principal, params: { id: made[0]! } });
    expect((await invite(person)).status).toBe(200);
    const invites = identity.db.collection<{ _id: string }>("invites");
    await invites.updateOne({ _id: made[1]! }, { $set: { expires_at: new Date(Date.now() - 1_000) } });
    expect((await invite(person)).status).toBe(200);
    expect(await invite(person)).toMatchObject(refused);
  });
});

describe("identity.quotas: registrations of a site and day", () => {
  const from = (address: string, n: number, more: object = {}) =>
    identity.send(register, {
      replica: n % 2,
      headers: { [INTERNAL.clientAddress]: address },
      body: {
        email: `site-${address}-${n}@example.com`.replaceAll(":", "-"),
        password: "correct horse battery staple",
        ...more,
      },
    });

  it("never exceed the maximum, also from many networks of the site and concurrently on several replicas", async () => {
    // Few enough for the queue of password hashing.
    const responses = await mapConcurrently(MAX_REGISTRATIONS + 4, 6, (n) =>
      from(`2001:db8:7:${n.toString(16)}::1`, n),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(
      Array.from({ length: 4 }, () => [429, "registration_throttled"]),
    );
    const { retry_after_seconds: seconds } = refused[0]!.params as { retry_after_seconds: number };
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(DAY_MS / 1_000);
    expect((await from("2001:db8:7::1", 1_000)).code).toBe("registration_throttled");
    expect((await from("2001:db8:8::1", 1_001)).status).toBe(200);
  });

  it("do not include invited users, and are not used up by addresses that are in use", async () => {
    const owner = await identity.aPerson();
    const address = "192.0.2.77";
    expect((await from(address, 0)).status).toBe(200);
    for (let n = 0; n < 3; n++) expect((await from(address, 0)).code).toBe("already_exists");
    const rest = await mapConcurrently(MAX_REGISTRATIONS - 1, 6, (n) => from(address, n + 1));
    expect(rest.every(({ status }) => status === 200)).toBe(true);
    expect((await from(address, 1_000)).code).toBe("registration_throttled");
    const { token } = await identity.data(createInvite, {
      as: owner.principal,
      body: { permissions: "Member", network_ids: [] },
    });
    expect((await from(address, 1_000, { invite_token: token })).status).toBe(200);
  });
});
