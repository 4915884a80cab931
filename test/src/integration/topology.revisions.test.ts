import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createInterface,
  createPort,
  deleteInterface,
  deletePort,
  deleteService,
  getHost,
  updateService,
} from "@nts/shared/contract";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import {
  type OneOfEachKind,
  createOneOfEachKind,
  KINDS,
  type Kind,
  operationsOf,
} from "../support/topology-everything.js";
import { aHost, aNetwork, aService, echoOf } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let everything: OneOfEachKind;
let changes = 0;

/** Commands that were part of a transaction. */
const inTransactions: string[] = [];

beforeAll(async () => {
  topology = await startTopology({
    onCommand: ({ commandName, command }) => {
      if (command["autocommit"] === false) inTransactions.push(commandName);
    },
  });
  owner = topology.aCaller();
  everything = await createOneOfEachKind(owner);
});
afterAll(() => topology.stop());

/** Differs from every change before. */
function aChangeOf(kind: Kind): object {
  const n = ++changes;
  const others = { ports: { number: n }, links: { speed_mbps: n }, dependencies: { note: `changed ${n}` } };
  return (others as Partial<Record<Kind, object>>)[kind] ?? { name: `changed ${n}` };
}

/** The entity of a kind as it is now, its operations, and a change of it. */
async function one(kind: Kind) {
  const operations = operationsOf(owner, kind);
  const { id } = everything[kind];
  const { data: entity, etag } = await operations.get(id);
  const change = aChangeOf(kind);
  return { ...operations, id, entity, etag: etag!, change, changed: { ...entity, ...change } };
}

describe.each(KINDS)("revisions of %s", (kind) => {
  it("are quoted ETags that a read repeats and a change increments", async () => {
    const { id, get, update, etag, changed } = await one(kind);
    expect(etag).toMatch(/^"\d+(-\d+)?"$/);
    expect((await get(id)).etag).toBe(etag);
    const updated = await update(id, changed);
    expect(updated.status).toBe(200);
    expect(updated.etag).not.toBe(etag);
    expect((await get(id)).etag).toBe(updated.etag);
  });

  it("return 304 without a body for a conditional read with the current one", async () => {
    const { id, get, etag } = await one(kind);
    for (const known of [etag, `W/${etag}`, `"0", ${etag}`, "*"]) {
      const response = await get(id, { "if-none-match": known });
      expect([response.status, response.text, response.etag]).toEqual([304, "", etag]);
    }
    expect((await get(id, { "if-none-match": '"0"' })).status).toBe(200);
  });

  it("reject an update with an old or a weak one", async () => {
    const { id, get, update, entity, etag, changed } = await one(kind);
    for (const matching of ['"0"', `W/${etag}`, `"0", W/${etag}`]) {
      const refused = await update(id, changed, { "if-match": matching });
      expect([matching, refused.status, refused.code, refused.params]).toEqual([
        matching,
        412,
        "precondition_failed",
        {},
      ]);
    }
    const after = await get(id);
    expect([after.data, after.etag]).toEqual([entity, etag]);
  });

  it("accept an update with the current one, with any, or with several including the current one", async () => {
    const { id, get, update, changed } = await one(kind);
    for (const matching of [(etag: string) => etag, () => "*", (etag: string) => `"0", ${etag}`]) {
      const { etag } = await get(id);
      expect((await update(id, changed, { "if-match": matching(etag!) })).status).toBe(200);
    }
  });

  it("reject a delete with an old one", async () => {
    const { id, get, remove } = await one(kind);
    expect((await remove(id, { "if-match": '"0"' })).code).toBe("precondition_failed");
    expect((await get(id)).status).toBe(200);
  });

  it("stay, with updated_at and without a transaction, when the entity is sent back as it was returned", async () => {
    const { id, get, update, entity, etag } = await one(kind);
    inTransactions.length = 0;
    const echoed = await update(id, entity);
    expect([echoed.status, echoed.data, echoed.etag, inTransactions]).toEqual([200, entity, etag, []]);
    expect((await update(id, entity, { "if-match": '"0"' })).status).toBe(412);
    expect((await get(id)).data).toEqual(entity);
  });

  it("let the last of several unconditional writes win, and updated_at only move forward", async () => {
    const { id, get, update, entity, change, changed } = await one(kind);
    const times = [entity["updated_at"]];
    for (const body of [changed, entity, changed]) times.push((await update(id, body)).data["updated_at"]);
    const { data } = await get(id);
    expect(data).toMatchObject(change);
    expect(data["created_at"]).toBe(entity["created_at"]);
    expect(times).toEqual([...new Set(times)].sort());
  });
});

describe("revisions of a host", () => {
  it("cover its children: every change of one increments the host's revision, and not its updated_at", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, subnet } = world;
    const host = await aHost(world);
    const { id: host_id, network_id } = host;
    const seen = new Set<string>();
    const step = async <T>(change: Promise<T>): Promise<T> => {
      const result = await change;
      const { etag, data } = await owner.send(getHost, { params: host });
      expect([seen.has(etag!), data.updated_at]).toEqual([false, host.updated_at]);
      seen.add(etag!);
      return result;
    };
    await step(Promise.resolve());
    const body = { host_id, network_id };
    const at = await step(
      owner.call(createInterface, { body: { ...body, subnet_id: subnet.id, ip_address: "10.0.0.1" } }),
    );
    const port = await step(owner.call(createPort, { body: { ...body, number: 80, protocol: "Tcp" } }));
    const service = await step(aService(world, host));
    await step(owner.call(updateService, { params: service, body: { ...echoOf(service), name: "api" } }));
    await step(owner.call(deleteInterface, { params: at }));
    await step(owner.call(deletePort, { params: port }));
    await step(owner.call(deleteService, { params: service }));
  });

  it("are incremented on both hosts when a service moves between them", async () => {
    const world = await aNetwork(topology.aCaller());
    const a = await aHost(world, { name: "a", services: 1 });
    const b = await aHost(world, { name: "b" });
    const etags = (): Promise<(string | undefined)[]> =>
      Promise.all([a, b].map(async (host) => (await world.owner.send(getHost, { params: host })).etag));
    const before = await etags();
    const [service] = a.services;
    await world.owner.call(updateService, { params: service!, body: { ...echoOf(service!), host_id: b.id } });
    (await etags()).forEach((etag, index) => expect(etag).not.toBe(before[index]));
  });
});
