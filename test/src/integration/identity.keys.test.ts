import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createKey, deleteKey, getKey, listKeys, rotateKey, updateKey } from "@nts/shared/contract/keys";
import type { UserApiKey, UserApiKeyInput } from "@nts/shared/contract/keys";
import { createNetwork } from "@nts/shared/contract/networks";
import { updateOrganization } from "@nts/shared/contract/organizations";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { MongoClient } from "mongodb";
import { createDirect, keyBodyOf, type Direct, type Person } from "../support/direct.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";

let stack: SharedStack;
let identity: Direct;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await sharedStack();
  identity = createDirect(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(() => mongo.close());

async function networksOf(person: Person, ...names: string[]): Promise<string[]> {
  const made = names.map((name) => identity.data(createNetwork, { as: person.principal, body: { name } }));
  return (await Promise.all(made)).map(({ id }) => id).sort();
}

/** The same person with fewer permissions. */
const reduced = (
  { principal }: Person,
  permission: UserPrincipal["permission"],
  networks: string[],
): UserPrincipal => ({
  ...principal,
  permission,
  scope: { ...principal.scope, networks },
});

describe("identity.keys: lists in pages", () => {
  it("continue after their cursor while keys are created and deleted, for their user only", async () => {
    const person = await identity.aPerson();
    const as = person.principal;
    const names = ["a", "b", "b", "b", "c", "d"];
    for (const name of names) await identity.aKey(person, { name });
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { order_by: "name", limit: 2, ...(cursor !== undefined && { cursor }) } as const;
      const { data, headers } = await identity.send(listKeys, { as, query });
      const page = data as unknown as UserApiKey[];
      walked.push(...page.map(({ name }) => name));
      const next = headers.get(INTERNAL.listNext)!;
      cursor = next === END_OF_LIST ? undefined : next;
      // Before the cursor, where an offset would have shifted everything.
      await identity.data(deleteKey, { as, params: { id: page[0]!.id } });
      await identity.aKey(person, { name: "A" });
      const stranger = await identity.aPerson();
      const theirs = await identity.send(listKeys, { as: stranger.principal, query: { ...query, cursor: next } });
      expect(theirs).toMatchObject({ status: 400, code: "cursor_invalid" });
    } while (cursor !== undefined);
    expect(walked).toEqual(names);
  });
});

describe("identity.keys: creating", () => {
  it("shows the secret twice in the response and nowhere else", async () => {
    const person = await identity.aPerson();
    const { record, secret, params } = await identity.aKey(person, { name: "CI", tags: ["ci"], permissions: "Member" });
    expect(secret).toMatch(/^nts_u_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(record).toMatchObject({ key: secret, name: "CI", tags: ["ci"], permissions: "Member", last_used: null });
    const masked = { ...record, key: `${secret.slice(0, 15)}${"*".repeat(38)}` };
    expect(await identity.data(getKey, { as: person.principal, params })).toEqual(masked);
    expect(await identity.data(listKeys, { as: person.principal })).toEqual([masked]);
    expect(await identity.data(updateKey, { as: person.principal, params, body: masked })).toEqual(masked);
  });

  it("rejects what the creator may not grant", async () => {
    const person = await identity.aPerson();
    const [home, office] = await networksOf(person, "Home", "Office");
    const stranger = await identity.aPerson();
    const as = reduced(person, "Member", [home!]);
    const attempts: [Partial<UserApiKeyInput>, number, string, object][] = [
      [{ permissions: "Admin" }, 403, "permission_denied", { required: "Admin" }],
      [{ organization_id: stranger.organizationId }, 403, "permission_denied", {}],
      [{ user_id: stranger.userId }, 403, "permission_denied", {}],
      [{ network_ids: [home!, office!] }, 400, "invalid_reference", { path: "network_ids.1" }],
      [{ tags: ["ci", person.userId] }, 400, "invalid_reference", { path: "tags.1" }],
      [{ expires_at: "2020-01-01T00:00:00Z" }, 400, "validation_failed", { errors: [{ path: "expires_at" }] }],
    ];
    for (const [more, status, code, params] of attempts)
      expect(await identity.send(createKey, { as, body: keyBodyOf(person, more) })).toMatchObject({
        status,
        code,
        params,
      });
    expect(await identity.data(listKeys, { as })).toEqual([]);
  });

  it("requires a session", async () => {
    const person = await identity.aPerson();
    const as = { ...person.principal, kind: "key" as const };
    expect(await identity.send(createKey, { as, body: keyBodyOf(person) })).toMatchObject({
      status: 403,
      code: "session_required",
    });
  });
});

describe("identity.keys: the permissions of a key", () => {
  it("are those of its user, or limited to its networks, when it is verified", async () => {
    const person = await identity.aPerson();
    const [home] = await networksOf(person, "Home", "Office");
    const free = await identity.aKey(person, { permissions: "Member" });
    const cut = await identity.aKey(person, { network_ids: [home!] });
    expect(await identity.verify("key", free.secret, 1)).toMatchObject({
      status: "valid",
      principal: { kind: "key", credential_id: free.id, permission: "Member", networks: "all" },
      expires_in_ms: null,
    });
    expect(await identity.verify("key", cut.secret)).toMatchObject({ principal: { networks: [home] } });
    expect(cut.record).toMatchObject({ network_ids: [home], restricted: true });
    expect(free.record.restricted).toBe(false);
  });

  it("are none when it is unknown, disabled, expired, or rejected by the organization, with the reason", async () => {
    const person = await identity.aPerson();
    const { id, params, secret } = await identity.aKey(person, {
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    const put = (more: Partial<UserApiKeyInput>) =>
      identity.data(updateKey, { as: person.principal, params, body: keyBodyOf(person, more) });
    const subjects = expect.arrayContaining([id, person.userId, person.organizationId]) as unknown;
    const valid = await identity.verify("key", secret);
    expect(valid).toMatchObject({ status: "valid" });
    if (valid.status === "valid") expect(valid.expires_in_ms).toBeGreaterThan(50_000);

    expect(await identity.verify("key", `${secret}0`)).toMatchObject({ code: "api_key_invalid", subjects: [] });
    await put({ is_enabled: false });
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_disabled", subjects });
    await put({ is_enabled: true, expires_at: new Date(Date.now() + 1_000).toISOString() });
    await until(async () => (await identity.verify("key", secret)).status !== "valid");
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_expired", subjects });
    await put({ expires_at: null });
    const organization = { as: person.principal, params: { id: person.organizationId } };
    await identity.data(updateOrganization, { ...organization, body: { name: "Acme", api_access_enabled: false } });
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_access_disabled", subjects });
    await identity.data(deleteKey, { as: person.principal, params });
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_invalid" });
  });
});

describe("identity.keys: updating under a revision", () => {
  it("changes nothing when the record is sent back, also when it has expired or exceeds its user now", async () => {
    const person = await identity.aPerson();
    const [home, office] = await networksOf(person, "Home", "Office");
    const more = { permissions: "Owner", network_ids: [office!, home!], tags: ["b", "a"] } as const;
    const { id, params } = await identity.aKey(person, {
      ...more,
      network_ids: [...more.network_ids],
      tags: [...more.tags],
    });
    const keys = mongo.db(stack.databases.identity).collection<{ _id: string }>("api_keys");
    const expired = await keys.updateOne({ _id: id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(expired.modifiedCount).toBe(1);
    const as = reduced(person, "Viewer", [home!]);
    const before = await identity.send(getKey, { as, params });
    expect(before.data.network_ids).toEqual([home]);
    const after = await identity.send(updateKey, { as, params, body: before.data });
    expect(after).toMatchObject({ status: 200, text: before.text });
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
    expect((await identity.data(getKey, { as: person.principal, params })).network_ids).toEqual([home, office]);
  });

  it("increments the revision when something changes, and rejects an outdated one", async () => {
    const person = await identity.aPerson();
    const { params, record } = await identity.aKey(person);
    const put = (name: string, revision: string) =>
      identity.send(updateKey, {
        as: person.principal,
        params,
        body: keyBodyOf(person, { name }),
        headers: { "if-match": revision },
      });
    const changed = await put("New", '"1"');
    expect(changed).toMatchObject({ status: 200, data: { name: "New", created_at: record.created_at } });
    expect(changed.headers.get("etag")).toBe('"2"');
    expect(await put("Newer", '"1"')).toMatchObject({ status: 412, code: "precondition_failed" });
    for (const operation of [rotateKey, deleteKey])
      expect(
        await identity.send(operation, { as: person.principal, params, headers: { "if-match": '"1"' } }),
      ).toMatchObject({ status: 412 });
  });

  it("never returns 304, because the last use changes without the revision", async () => {
    const person = await identity.aPerson();
    const { params } = await identity.aKey(person);
    const headers = { "if-none-match": '"1"' };
    expect(await identity.send(getKey, { as: person.principal, params, headers })).toMatchObject({ status: 200 });
  });
});

describe("identity.keys: partial updates, and keys of others", () => {
  it("keep what is absent and remove the restriction with null", async () => {
    const person = await identity.aPerson();
    const [home, office] = await networksOf(person, "Home", "Office");
    const { params } = await identity.aKey(person, { network_ids: [home!], is_enabled: false, permissions: "Admin" });
    const put = (more: Partial<UserApiKeyInput>) =>
      identity.data(updateKey, { as: person.principal, params, body: keyBodyOf(person, more) });
    expect(await put({})).toMatchObject({
      network_ids: [home],
      restricted: true,
      is_enabled: false,
      permissions: "Admin",
    });
    expect(await put({ network_ids: null })).toMatchObject({ network_ids: [home, office], restricted: false });
    expect(await put({ network_ids: [] })).toMatchObject({ network_ids: [], restricted: true });
  });

  it("treat a key of another user as one that does not exist", async () => {
    const [person, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const { params } = await identity.aKey(person);
    const colleague = { ...person.principal, userId: stranger.userId };
    for (const as of [stranger.principal, colleague]) {
      const refused = { status: 404, code: "not_found", params: { entity: "UserApiKey" } };
      const body = keyBodyOf(person, { user_id: as.userId, organization_id: as.scope.organizationId });
      expect(await identity.send(getKey, { as, params })).toMatchObject(refused);
      expect(await identity.send(updateKey, { as, params, body })).toMatchObject(refused);
      expect(await identity.send(rotateKey, { as, params })).toMatchObject(refused);
      expect(await identity.send(deleteKey, { as, params })).toMatchObject(refused);
    }
  });
});

describe("identity.keys: rotating", () => {
  it("invalidates the old secret", async () => {
    const person = await identity.aPerson();
    const { params, secret } = await identity.aKey(person, { permissions: "Member" });
    const next = await identity.data(rotateKey, { as: person.principal, params });
    expect(await identity.verify("key", secret, 1)).toMatchObject({ code: "api_key_invalid" });
    expect(await identity.verify("key", next, 1)).toMatchObject({ principal: { permission: "Member" } });
  });

  it("leaves exactly one valid secret after concurrent rotations", async () => {
    const person = await identity.aPerson();
    const { params, secret } = await identity.aKey(person);
    const rotations = Array.from({ length: 10 }, (_, i) =>
      identity.data(rotateKey, { as: person.principal, params, replica: i % 2 }),
    );
    const secrets = [secret, ...(await Promise.all(rotations))];
    expect(new Set(secrets).size).toBe(11);
    const verified = await Promise.all(secrets.map((one) => identity.verify("key", one)));
    expect(verified.filter(({ status }) => status === "valid")).toHaveLength(1);
  });
});

describe("identity.keys: listing", () => {
  it("pages, orders and filters the caller's own keys", async () => {
    const person = await identity.aPerson();
    const [home, office] = await networksOf(person, "Home", "Office");
    const b = await identity.aKey(person, { name: "b", network_ids: [home!] });
    const a = await identity.aKey(person, { name: "a", network_ids: [office!] });
    const c = await identity.aKey(person, { name: "c" });
    const list = async (query: object, as = person.principal) => {
      const { data, headers } = await identity.send(listKeys, { as, query });
      const page = ["x-list-total", "x-list-limit", "x-list-offset"].map((name) => Number(headers.get(name)));
      return [(data as unknown as UserApiKey[]).map(({ id }) => id), page];
    };
    expect(await list({})).toEqual([
      [b.id, a.id, c.id],
      [3, 50, 0],
    ]);
    expect(await list({ order_by: "name", order_direction: "desc", limit: 2 })).toEqual([
      [c.id, b.id],
      [3, 2, 0],
    ]);
    expect(await list({ order_by: "name", limit: 2, offset: 2 })).toEqual([[c.id], [3, 2, 2]]);
    expect(await list({ limit: 0, offset: 1 })).toEqual([
      [a.id, c.id],
      [3, 0, 1],
    ]);
    expect(await list({ network_id: home })).toEqual([
      [b.id, c.id],
      [2, 50, 0],
    ]);
    expect(await list({ network_id: office }, reduced(person, "Member", [home!]))).toEqual([[], [0, 50, 0]]);
    expect(await list({ ids: `${a.id},${b.id.toUpperCase()}` })).toEqual([
      [b.id, a.id],
      [2, 50, 0],
    ]);
    expect(await list({}, (await identity.aPerson()).principal)).toEqual([[], [0, 50, 0]]);
  });
});
