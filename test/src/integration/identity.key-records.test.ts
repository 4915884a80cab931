import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { recordKeyUses } from "@nts/shared/contract/internal";
import { getKey, listKeys, rotateKey, updateKey } from "@nts/shared/contract/keys";
import { createTag, deleteTag } from "@nts/shared/contract/tags";
import { createDirect, keyBodyOf, type Direct, type Person } from "../support/direct.js";
import { aReportOf } from "../support/key-uses.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";

// What others than its user write to a key: gateways its last use, deletions in topology its tags.

let stack: SharedStack;
let identity: Direct;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await sharedStack();
  identity = createDirect(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(() => mongo.close());

const aProcess = { kind: "process" } as const;

describe("identity.key-records: managed tags", () => {
  const aTag = (person: Person, name: string) =>
    identity.data(createTag, { as: person.principal, body: { name } }).then(({ id }) => id);

  it("are accepted when they belong to the organization", async () => {
    const [person, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const [own, foreign] = await Promise.all([aTag(person, "prod"), aTag(stranger, "prod")]);
    const { record, params } = await identity.aKey(person, { tags: ["free", own] });
    expect(record.tags).toEqual(["free", own]);
    const body = keyBodyOf(person, { tags: ["free", own, foreign] });
    expect(await identity.send(updateKey, { as: person.principal, params, body })).toMatchObject({
      status: 400,
      code: "invalid_reference",
      params: { path: "tags.2" },
    });
  });

  it("are removed from returned keys after they are deleted", async () => {
    const person = await identity.aPerson();
    const tag = await aTag(person, "prod");
    const { params } = await identity.aKey(person, { tags: ["free", tag] });
    await identity.data(deleteTag, { as: person.principal, params: { id: tag } });
    expect(await identity.data(getKey, { as: person.principal, params })).toMatchObject({ tags: ["free"] });
    expect(await identity.data(listKeys, { as: person.principal })).toMatchObject([{ tags: ["free"] }]);
  });

  it("are removed from stored keys after they are deleted", async () => {
    const person = await identity.aPerson();
    const tag = await aTag(person, "prod");
    const { id } = await identity.aKey(person, { tags: [tag] });
    await identity.data(deleteTag, { as: person.principal, params: { id: tag } });
    const keys = mongo.db(stack.databases.identity).collection<{ _id: string; tags: string[] }>("api_keys");
    await until(async () => (await keys.findOne({ _id: id }))?.tags.length === 0);
  });
});

describe("identity.key-records: the last use", () => {
  it("moves forward only, not into the future, and changes nothing else", async () => {
    const person = await identity.aPerson();
    const { id, params, record } = await identity.aKey(person);
    const use = (...moments: string[]) =>
      identity.data(recordKeyUses, {
        as: aProcess,
        body: aReportOf(moments.map((used_at) => ({ key_id: id, used_at }))),
      });
    const read = () => identity.send(getKey, { as: person.principal, params });
    await use("2026-01-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z");
    await use("2025-12-31T00:00:00.000Z");
    const { data, headers } = await read();
    expect(data).toEqual({ ...record, key: data.key, last_used: "2026-01-02T00:00:00.000Z" });
    expect(headers.get("etag")).toBe('"1"');
    await use("2999-01-01T00:00:00.000Z");
    expect(Date.parse((await read()).data.last_used ?? "")).toBeLessThanOrEqual(Date.now());
  });

  it("never overwrites a concurrent change", async () => {
    const person = await identity.aPerson();
    const { id, params, secret } = await identity.aKey(person);
    const used_at = new Date().toISOString();
    const burst = Array.from({ length: 40 }, (_, i) =>
      identity.data(recordKeyUses, { as: aProcess, replica: i % 2, body: aReportOf([{ key_id: id, used_at }]) }),
    );
    const body = keyBodyOf(person, { is_enabled: false });
    const disabling = identity.data(updateKey, { as: person.principal, params, body });
    await Promise.all([...burst, disabling]);
    expect(await identity.data(getKey, { as: person.principal, params })).toMatchObject({
      is_enabled: false,
      last_used: used_at,
    });
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_disabled" });
  });

  it("never restores a rotated secret", async () => {
    const person = await identity.aPerson();
    const { id, params, secret } = await identity.aKey(person);
    const use = (replica: number) => {
      const uses = [{ key_id: id, used_at: new Date().toISOString() }];
      return identity.data(recordKeyUses, { as: aProcess, replica, body: aReportOf(uses) });
    };
    const burst = Array.from({ length: 20 }, (_, i) => use(i % 2));
    const rotating = identity.data(rotateKey, { as: person.principal, params });
    burst.push(...Array.from({ length: 20 }, (_, i) => use(i % 2)));
    const next = await rotating;
    await Promise.all(burst);
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_invalid" });
    expect(await identity.verify("key", next)).toMatchObject({ status: "valid" });
    const { headers, data } = await identity.send(getKey, { as: person.principal, params });
    expect([headers.get("etag"), data.key.slice(0, 15)]).toEqual(['"2"', next.slice(0, 15)]);
  });

  it("of a deleted key is ignored", async () => {
    const uses = [{ key_id: "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f", used_at: new Date().toISOString() }];
    expect(await identity.data(recordKeyUses, { as: aProcess, body: aReportOf(uses) })).toBeNull();
  });
});
