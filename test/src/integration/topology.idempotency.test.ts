import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createNetwork,
  createService,
  createTag,
  DEFAULT_MAX_IDEMPOTENCY_KEYS,
  deleteHost,
  getService,
  type Host,
  listServices,
  listTags,
  REMEMBERED_BYTES,
  updateHost,
  updateNetwork,
  updateService,
} from "@nts/shared/contract";
import { type ServiceResponse, type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let owner: Caller;
let world: World;
let host: Host;

beforeAll(async () => {
  topology = await startTopology({ instances: 2 });
  owner = topology.aCaller();
  world = await aNetwork(owner);
  host = await aHost(world);
});
afterAll(() => topology.stop());

const keyed = (key: string) => ({ "idempotency-key": key });
const shown = ({ status, text, etag }: ServiceResponse<unknown>) => ({ status, text, etag });
const newService = (name: string) => ({
  body: { host_id: host.id, network_id: host.network_id, name, service_definition: "nginx", bindings: [], tags: [] },
});
const named = async (name: string): Promise<number> =>
  (await owner.list(listServices, { query: { host_id: host.id, limit: 0 } })).rows.filter((one) => one.name === name)
    .length;

describe("idempotency keys of a user", () => {
  it("are limited per day, also when requested concurrently; rejections and repetitions do not count, and other users have their own", async () => {
    const user = owner.colleague({});
    const tag = (by: Caller, key: string, name = key) => by.send(createTag, { body: { name }, headers: keyed(key) });
    expect((await tag(user, "quota-0")).status).toBe(200);
    expect((await tag(user, "quota-refused", "quota-0")).code).toBe("already_exists");
    const almost = { $set: { used: DEFAULT_MAX_IDEMPOTENCY_KEYS - 3 } };
    expect((await topology.db.collection("answers").updateOne({ used: 1 }, almost)).modifiedCount).toBe(1);
    const names = Array.from({ length: 8 }, (_, n) => `quota-${n + 1}`);
    const responses = await Promise.all(names.map((name, n) => tag(user.via(n % 2), name)));
    const full = { entity: "IdempotencyKey", limit: DEFAULT_MAX_IDEMPOTENCY_KEYS };
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const { status, code, params } of responses.filter((one) => one.status !== 200))
      expect([status, code, params]).toEqual([403, "quota_exceeded", full]);
    expect((await tag(user, "quota-0")).headers["idempotency-replayed"]).toBe("true");
    expect((await tag(owner, "quota-of-another")).status).toBe(200);
    expect((await user.send(createTag, { body: { name: "without a key" } })).status).toBe(200);
  });
});

describe("a repeated write with an idempotency key", () => {
  it("gets the first response, byte for byte, from every replica, and has no second effect", async () => {
    const headers = keyed("create once");
    const [wrong] = await owner.refusal(createService, { ...newService("once"), headers });
    expect(wrong).toBe(400);
    const first = await owner.send(createService, { ...newService("once"), headers: keyed("create-once") });
    expect([first.status, first.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    for (const replica of [owner, owner.via(1)]) {
      const again = await replica.send(createService, { ...newService("once"), headers: keyed("create-once") });
      expect(shown(again)).toEqual(shown(first));
      expect(again.headers["idempotency-replayed"]).toBe("true");
    }
    expect(await named("once")).toBe(1);
  });

  it("keeps later changes of others, also when the first write changed nothing", async () => {
    const service = await aService({ owner }, host, { name: "before" });
    for (const [name, key] of [
      ["mine", "update"],
      ["before", "update-of-nothing"],
    ] as const) {
      const input = { params: service, body: { ...echoOf(service), name }, headers: keyed(key) };
      const first = await owner.send(updateService, input);
      expect(first.data.name).toBe(name);
      await owner.call(updateService, { params: service, body: { ...echoOf(service), name: "theirs" } });
      expect(shown(await owner.via(1).send(updateService, input))).toEqual(shown(first));
      expect((await owner.call(getService, { params: service })).name).toBe("theirs");
      await owner.call(updateService, { params: service, body: echoOf(service) });
    }
  });

  it("gets the same response for a host with its children, a network, a tag and a deletion", async () => {
    const hostToDelete = await aHost(world, { name: "doomed", interfaces: 1, ports: 1, services: 2 });
    const writes = [
      (by: Caller) => by.send(createTag, { body: { name: "once" }, headers: keyed("tag") }),
      (by: Caller) => by.send(createNetwork, { body: { name: "once" }, headers: keyed("network") }),
      (by: Caller) =>
        by.send(updateNetwork, { params: world.network, body: { name: "Renamed" }, headers: keyed("renamed") }),
      (by: Caller) =>
        by.send(updateHost, {
          params: hostToDelete,
          body: { ...hostToDelete, name: "doomed soon" },
          headers: keyed("host"),
        }),
      (by: Caller) => by.send(deleteHost, { params: hostToDelete, headers: keyed("gone") }),
    ];
    for (const write of writes) {
      const first = await write(owner);
      expect(first.status).toBe(200);
      expect(shown(await write(owner.via(1)))).toEqual(shown(first));
    }
    expect((await owner.list(listTags, {})).rows.filter(({ name }) => name === "once")).toHaveLength(1);
  });
});

describe("a repeated write with an idempotency key: deletions, races and long responses", () => {
  it("gets its response after a deletion only once no process shows the deleted entity", async () => {
    const large = await aHost(world, { name: "large", services: 510 });
    const remove = (by: Caller) => by.send(deleteHost, { params: large, headers: keyed("large-deletion") });
    const query = { host_id: large.id, limit: 1 };
    const done = { organization_id: owner.scope.organizationId, json: "null" };
    const before = await topology.db.collection("answers").countDocuments(done);
    expect((await owner.via(1).list(listServices, { query })).total).toBe(510);
    const first = remove(owner);
    await until(async () => (await topology.db.collection("answers").countDocuments(done)) > before, 1);
    expect((await remove(owner.via(1))).headers["idempotency-replayed"]).toBe("true");
    expect((await owner.via(1).list(listServices, { query })).rows).toEqual([]);
    expect((await first).status).toBe(200);
  });

  it("has one effect when it is sent concurrently: each gets the same response, or a conflict", async () => {
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        owner.via(n % 2).send(createService, { ...newService("at once"), headers: keyed("at-once") }),
      ),
    );
    const done = responses.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { code, headers } of responses.filter(({ status }) => status !== 200))
      expect([code, headers["retry-after"]]).toEqual(["idempotency_in_progress", "1"]);
    expect(await named("at once")).toBe(1);
  });

  it("returns the current entity if the first response was too long to be stored", async () => {
    const body = {
      ...{ network_id: world.network.id, name: "large" },
      services: Array.from({ length: 60 }, (_, n) => ({ name: `s${n}`, service_definition: "nginx" })),
    };
    const first = await owner.send(createHost, { body, headers: keyed("large") });
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(REMEMBERED_BYTES);
    const again = await owner.via(1).send(createHost, { body, headers: keyed("large") });
    expect([again.data, again.headers["idempotency-replayed"]]).toEqual([first.data, "true"]);
  });

  it("gets its response without the plan when only that was too long to be stored", async () => {
    const hostToDelete = await aHost(world, { name: "explained", ports: 200 });
    const input = { params: hostToDelete, query: { explain: true }, headers: keyed("explained") };
    const first = await owner.send(deleteHost, input);
    expect([first.status, first.data]).toEqual([200, null]);
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(REMEMBERED_BYTES);
    const again = await owner.via(1).send(deleteHost, input);
    expect([again.status, again.data, again.headers["idempotency-replayed"]]).toEqual([200, null, "true"]);
  });
});

describe("an idempotency key", () => {
  it("is rejected for another path, method or body, and is separate for each user", async () => {
    const headers = keyed("mine");
    const { data: service } = await owner.send(createService, { ...newService("mine"), headers });
    const update = { params: service, body: echoOf(service), headers };
    expect((await owner.refusal(createService, { ...newService("other"), headers })).slice(0, 2)).toEqual([
      422,
      "idempotency_mismatch",
    ]);
    expect((await owner.refusal(updateService, update)).slice(0, 2)).toEqual([422, "idempotency_mismatch"]);
    const theirs = await owner.colleague({}).send(createService, { ...newService("mine"), headers });
    expect([theirs.status, theirs.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    expect(await named("mine")).toBe(2);
  });

  it("is rejected when it is invalid, in a dry run as well", async () => {
    for (const query of ["", "?dry_run=true"]) {
      const { status, code } = await owner.raw(
        "post",
        `/api/v1/tags${query}`,
        JSON.stringify({ name: "spaced" }),
        keyed("two words"),
      );
      expect([status, code]).toEqual([400, "validation_failed"]);
    }
  });

  it("is free again after a rejection, which had no effect", async () => {
    const headers = keyed("refused");
    const body = { name: "taken" };
    const { id } = await owner.call(createTag, { body });
    expect(await owner.refusal(createTag, { body, headers })).toEqual([
      409,
      "already_exists",
      { entity: "Tag", field: "name" },
    ]);
    expect((await owner.raw("DELETE", `/api/v1/tags/${id}`)).status).toBe(200);
    expect((await owner.send(createTag, { body, headers })).headers["idempotency-replayed"]).toBeUndefined();
  });

  it("is used up for a key of the same user that may not access the network of the first write", async () => {
    const member = owner.colleague({ permission: "Member" });
    const other = await aNetwork(owner, "Other");
    const elsewhere = await aHost(other);
    const headers = keyed("used-elsewhere");
    const first = { ...newService("elsewhere"), headers };
    expect((await member.send(createService, first)).status).toBe(200);
    const restricted = member.restrictedTo([other.network.id]);
    const body = { ...newService("here").body, host_id: elsewhere.id, network_id: other.network.id };
    for (const replica of [restricted, restricted.via(1)])
      expect((await replica.refusal(createService, { body, headers })).slice(0, 2)).toEqual([
        422,
        "idempotency_mismatch",
      ]);
    expect((await owner.list(listServices, { query: { host_id: elsewhere.id } })).total).toBe(0);
    // The first request and another one there are rejected in the same way, so nothing tells which one was made.
    for (const guess of [first, { ...newService("another"), headers }])
      expect((await restricted.refusal(createService, guess))[1]).toBe("invalid_reference");
  });

  it("reveals nothing of a network that the caller may no longer access", async () => {
    const input = { ...newService("seen"), headers: keyed("seen") };
    const member = owner.colleague({ permission: "Member", networks: [world.network.id] });
    expect((await member.send(createService, input)).status).toBe(200);
    expect((await member.restrictedTo([]).refusal(createService, input))[1]).toBe("invalid_reference");
  });
});
