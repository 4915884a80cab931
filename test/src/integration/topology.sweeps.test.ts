import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createInterface,
  createService,
  createSubnet,
  deleteNetwork,
  getHost,
  getNetwork,
  getService,
  getSubnet,
  getTopology,
  listHosts,
  listNetworks,
  listServices,
  listSubnets,
  updateNetwork,
  updateService,
} from "@nts/shared/contract";
import { listNetworkIds } from "@nts/shared/contract/internal";
import { BACKGROUND } from "@nts/shared/work";
import { Registry } from "prom-client";
import { createStorage } from "@nts/topology/storage/storage";
import { startSweeper } from "@nts/topology/deletions/sweeper";
import { violationsIn } from "../support/invariants.js";
import { seedTopology, type Seeded } from "../support/seed.js";
import { startManualJournal, documentsIn, entriesDuring, startSweptTopology, type Sweeps } from "../support/sweeps.js";
import type { Caller, Topology } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let sweeps: Sweeps;
beforeAll(async () => ({ topology, sweeps } = await startSweptTopology()));
afterAll(() => topology.stop());

/** More than one transaction deletes. */
const LARGE = { networks: 1, hostsPerNetwork: 60, servicesPerHost: 10 };

interface LargeWorld extends World {
  readonly organizationId: string;
  readonly doomed: string;
  readonly seeded: Seeded;
}

/** An organization with a small network, and a large one. */
async function aLargeNetwork(): Promise<LargeWorld> {
  const owner = topology.aCaller();
  const world = await aNetwork(owner);
  await aHost(world, { interfaces: 1, ports: 1, services: 1 });
  const { organizationId } = owner.scope;
  const seeded = await seedTopology(topology.db, { organizationId, ...LARGE });
  return { ...world, organizationId, seeded, doomed: seeded.networkIds[0]! };
}

async function markAsRecorded(_id: string): Promise<void> {
  await topology.db.collection<{ _id: string }>("deletions").updateOne({ _id }, { $set: { journaled: true } });
}

describe("deleting a large network", () => {
  it("is acknowledged when no replica returns anything of it, while its documents still exist", async () => {
    const { owner, network, organizationId, doomed, seeded } = await aLargeNetwork();
    const other = owner.via(1);
    const hostId = seeded.hostIds[0]!;
    const serviceId = seeded.serviceIds[0]!;
    let isDeleted = false;
    const late: string[] = [];
    let responses = 0;
    const reader = async (caller: Caller, name: string, sees: () => Promise<boolean>): Promise<void> => {
      for (let more = 3; more > 0; more -= isDeleted ? 1 : 0) {
        const startedAfter = isDeleted;
        if ((await sees()) && startedAfter) late.push(name);
        responses += 1;
      }
    };
    const readers = [owner, other].flatMap((caller) => [
      reader(caller, "get", async () => (await caller.send(getService, { params: { id: serviceId } })).status === 200),
      reader(caller, "network", async () => (await caller.send(getNetwork, { params: { id: doomed } })).status === 200),
      reader(caller, "list", async () => (await caller.list(listServices, { query: { limit: 5 } })).total > 1),
      reader(caller, "hosts", async () => (await caller.list(listHosts, { query: { ids: [hostId] } })).total > 0),
    ]);
    expect(await owner.call(deleteNetwork, { params: { id: doomed } })).toBeNull();
    isDeleted = true;
    await Promise.all(readers);
    expect(late).toEqual([]);
    expect(responses).toBeGreaterThan(24);
    expect(await documentsIn(topology.db, doomed)).toBe(660);
    expect(topology.notices).toContainEqual(["network", organizationId, doomed]);

    for (const caller of [owner, other, owner.colleague({ permission: "Viewer", networks: [network.id, doomed] })]) {
      const { rows, total } = await caller.list(listServices, { query: { limit: 0 } });
      expect([rows.length, total]).toEqual([1, 1]);
      for (const query of [{}, { order_by: "name" }, { q: "s0" }, { group_by: "network_id" }] as const)
        expect((await caller.list(listServices, { query })).rows.map((one) => one.network_id)).toEqual([network.id]);
      expect((await caller.list(listServices, { query: { network_id: doomed } })).total).toBe(0);
      expect((await caller.list(listNetworks, { query: {} })).rows).toMatchObject([{ id: network.id }]);
      expect((await caller.list(listSubnets, { query: {} })).total).toBe(1);
      expect(await caller.refusal(getHost, { params: { id: hostId } })).toEqual([404, "not_found", { entity: "Host" }]);
      const { nodes } = await caller.call(getTopology, { query: {} });
      expect(nodes.map(({ network_id }) => network_id)).toEqual([network.id, network.id, network.id]);
    }
    expect(await topology.aProcess().call(listNetworkIds, { params: { id: organizationId } })).toEqual([network.id]);
  });

  it("waits for replicas that have just refreshed, and would not refresh again for a while", async () => {
    const { organizationId, network, doomed } = await aLargeNetwork();
    const scope = { organizationId, networks: [network.id, doomed] };
    const replica = createStorage(topology.db, sweeps.storage.transaction).deletions;
    const { storage } = sweeps;
    const { deletions } = storage;
    expect(await replica.visible(scope)).toEqual(scope);
    await storage.transaction(BACKGROUND, [], (session) => deletions.hideNetworks(session, organizationId, [doomed]));
    await deletions.known();
    expect(await replica.visible(scope)).toEqual({ organizationId, networks: [network.id] });
    expect(await replica.visible({ organizationId, networks: "all" })).toMatchObject({ networks: [network.id] });
    const stranger = { organizationId: topology.aCaller().scope.organizationId, networks: "all" } as const;
    expect(replica.visible(stranger)).toBe(stranger);
  });
});

describe("deleting a large network: concurrent writes", () => {
  it("rejects every write to it from then on, through every replica, and none to another network", async () => {
    const { owner, network, subnet, doomed, seeded } = await aLargeNetwork();
    const hostId = seeded.hostIds[0]!;
    const serviceId = seeded.serviceIds[0]!;
    const inside = (await owner.call(createSubnet, { body: { network_id: doomed, cidr: "10.1.0.0/16", name: "LAN" } }))
      .id;
    const service = await owner.call(getService, { params: { id: serviceId } });
    await owner.call(deleteNetwork, { params: { id: doomed } });
    const errorOf = (path: string): unknown => [400, "invalid_reference", { path }];
    for (const caller of [owner, owner.via(1)]) {
      expect(await caller.refusal(createHost, { body: { network_id: doomed, name: "late" } })).toEqual(
        errorOf("network_id"),
      );
      const late = { network_id: doomed, host_id: hostId, name: "late", service_definition: "nginx" };
      expect(await caller.refusal(createService, { body: late })).toEqual(errorOf("host_id"));
      const body = { network_id: doomed, cidr: "10.2.0.0/16", name: "late" };
      expect(await caller.refusal(createSubnet, { body })).toEqual(errorOf("network_id"));
      expect(await caller.refusal(getSubnet, { params: { id: inside } })).toMatchObject({ 0: 404 });
      expect(await caller.refusal(updateService, { params: service, body: service })).toMatchObject({
        0: 404,
      });
      expect(await caller.refusal(updateNetwork, { params: { id: doomed }, body: { name: "late" } })).toMatchObject({
        0: 404,
      });
      expect(await caller.refusal(deleteNetwork, { params: { id: doomed } })).toMatchObject({ 0: 404 });
      const imported = `/api/v1/imports/nmap?network_id=${doomed}`;
      const response = await caller.raw("post", imported, "<nmaprun/>", { "content-type": "application/xml" });
      expect(response).toMatchObject({ status: 400, params: { path: "network_id" } });
      const host = await aHost({ owner: caller, network, subnet }, { name: "fine" });
      const at = { host_id: host.id, network_id: network.id, name: "eth", subnet_id: inside, ip_address: "10.1.0.1" };
      expect(await caller.refusal(createInterface, { body: at })).toEqual(errorOf("subnet_id"));
    }
  });

  it("is decided once, and respects a revision", async () => {
    const { owner, doomed } = await aLargeNetwork();
    const params = { id: doomed };
    const headers = { "if-match": '"7"' };
    expect(await owner.refusal(deleteNetwork, { params, headers })).toMatchObject({ 0: 412 });
    expect((await owner.send(getNetwork, { params })).status).toBe(200);
    const both = [owner, owner.via(1)].map((caller) => caller.send(deleteNetwork, { params }));
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
  });
});

describe("the sweep of a large network", () => {
  it("deletes everything in it and nothing else, and is removed from the list afterwards", async () => {
    const { owner, doomed } = await aLargeNetwork();
    const guarded = { network_id: doomed, cidr: "10.1.0.0/16", name: "LAN" };
    await owner.call(createSubnet, { body: guarded });
    await owner.call(deleteNetwork, { params: { id: doomed } });
    let documents = 0;
    await sweeps.sweep((number) => void (documents += number));
    expect(await documentsIn(topology.db, doomed)).toBe(0);
    expect(documents).toBeGreaterThanOrEqual(661 + 16);
    await sweeps.sweep();
    expect(await topology.db.collection("deletions").countDocuments()).toBe(0);
    expect(await violationsIn(topology.db)).toEqual([]);
    expect((await owner.list(listServices, { query: {} })).total).toBe(1);
  });

  it("waits until the journal has recorded it, up to a timeout", async () => {
    const { owner, doomed } = await aLargeNetwork();
    await owner.call(deleteNetwork, { params: { id: doomed } });
    await sweeps.sweepRecorded();
    expect(await documentsIn(topology.db, doomed)).toBe(660);
    await markAsRecorded(doomed);
    await sweeps.sweepRecorded({ graceMs: 3_600_000 });
    expect(await documentsIn(topology.db, doomed)).toBe(660);
    await sweeps.sweepRecorded();
    expect(await documentsIn(topology.db, doomed)).toBe(0);
  });

  it("begins when the journal has recorded all of it, which is not repeated", async () => {
    const { owner, organizationId, doomed } = await aLargeNetwork();
    const journal = await startManualJournal(topology.db);
    try {
      await owner.call(deleteNetwork, { params: { id: doomed } });
      await journal.takeEvents();
      await journal.record(300);
      const events = await entriesDuring(topology.db, async () => {
        await sweeps.sweepRecorded();
        expect(await documentsIn(topology.db, doomed)).toBe(660);
        await journal.record();
        await sweeps.sweepRecorded();
      });
      expect(await documentsIn(topology.db, doomed)).toBe(0);
      expect(events.filter((one) => one.organizationId === organizationId)).toEqual([]);
      const deletedEntry = { network_id: doomed, action: "deleted" };
      expect(await topology.db.collection("journal").countDocuments(deletedEntry)).toBe(661);
    } finally {
      await journal.close();
    }
  });
});

describe("the sweep of a large network: what it records, and where it resumes", () => {
  it("records the author of the deletion, and nothing that the journal has already recorded", async () => {
    const { owner, organizationId, doomed } = await aLargeNetwork();
    const unrecorded = await aLargeNetwork();
    await owner.call(deleteNetwork, { params: { id: doomed } });
    await unrecorded.owner.call(deleteNetwork, { params: { id: unrecorded.doomed } });
    await markAsRecorded(doomed);
    const events = await entriesDuring(topology.db, () => sweeps.sweep());
    expect(events.filter((one) => one.organizationId === organizationId)).toEqual([]);
    const recorded = events.filter((one) => one.organizationId === unrecorded.organizationId);
    expect(recorded).toHaveLength(660);
    for (const { by } of recorded)
      expect(by).toMatchObject({ user_id: expect.anything(), request_id: expect.anything() });
  });

  it("is resumed wherever it was interrupted", async () => {
    const { owner, doomed } = await aLargeNetwork();
    await owner.call(deleteNetwork, { params: { id: doomed } });
    const stop = new AbortController();
    await sweeps.sweep(() => stop.abort(), stop.signal);
    // A batch becomes visible when a majority has it, which the sweep does not wait for.
    await until(async () => (await documentsIn(topology.db, doomed)) < 660);
    expect(await documentsIn(topology.db, doomed)).toBeGreaterThan(0);
    await sweeps.sweep();
    expect(await documentsIn(topology.db, doomed)).toBe(0);
  });

  it("completes a deletion whose process died before it sent the notice", async () => {
    const { owner, organizationId, doomed } = await aLargeNetwork();
    const { deletions, transaction } = sweeps.storage;
    await transaction(BACKGROUND, [], (tx) => deletions.hideNetworks(tx, organizationId, [doomed]));
    await sweeps.sweep();
    expect(sweeps.announced).toContain(doomed);
    expect(await documentsIn(topology.db, doomed)).toBe(0);
    expect(await owner.refusal(getNetwork, { params: { id: doomed } })).toMatchObject({ 0: 404 });
  });
});

describe("of several sweeping processes", () => {
  const times = { graceMs: 0, unrecordedMs: 0, keepMs: 0 };
  const start = (registry: Registry): ReturnType<typeof startSweeper> =>
    startSweeper(topology.db, registry, { ...sweeps.parts, times }, { oftenMs: 20, seldomMs: 20, forMs: 0 });
  const sweptBy = async (registry: Registry): Promise<number> =>
    (await registry.getSingleMetric("nts_deleted_documents_total")!.get()).values[0]?.value ?? 0;

  it("only one sweeps at a time", async () => {
    const { owner, doomed } = await aLargeNetwork();
    await owner.call(deleteNetwork, { params: { id: doomed } });
    const registries = [new Registry(), new Registry(), new Registry()];
    const sweepers = registries.map(start);
    try {
      await until(async () => (await documentsIn(topology.db, doomed)) === 0);
    } finally {
      await Promise.all(sweepers.map((one) => one.stop()));
    }
    const shares = await Promise.all(registries.map(sweptBy));
    expect(shares.sort((a, b) => a - b).slice(0, 2)).toEqual([0, 0]);
  });

  it("another one continues when the sweeping one was killed", async () => {
    const { owner, doomed } = await aLargeNetwork();
    await owner.call(deleteNetwork, { params: { id: doomed } });
    const locks = topology.db.collection<{ _id: string; owner: string; expires_at: Date }>("locks");
    const freeAt = new Date(Date.now() + 1_000);
    await locks.insertOne({ _id: "sweep", owner: "killed", expires_at: freeAt });
    const sweeper = start(new Registry());
    try {
      await until(async () => (await documentsIn(topology.db, doomed)) === 0);
    } finally {
      await sweeper.stop();
    }
    const deletions = topology.db.collection<{ _id: string; swept_at: Date }>("deletions");
    const swept = (await deletions.findOne({ _id: doomed }))?.swept_at ?? new Date();
    expect(swept.getTime()).toBeGreaterThan(freeAt.getTime());
  });
});
