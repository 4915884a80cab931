/** Hosts with more children than one database document, or the memory of a process, should hold. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ReadConcern } from "mongodb";
import {
  createHost,
  createPort,
  deletePort,
  getHost,
  getTopology,
  type Host,
  listHosts,
  listServices,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { serviceKind } from "@nts/topology/kinds/service";
import { createStorage } from "@nts/topology/storage/storage";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

const FAT = 348;
const DETAILS = { text: "x".repeat(48 * 1024) };

let topology: Topology;
let owner: Caller;
let world: World;
let fat: Host;

beforeAll(async () => {
  topology = await startTopology({ instances: 2 });
  owner = topology.aCaller();
  world = await aNetwork(owner);
  await aHost(world, { name: "a", services: 3, ports: 2, interfaces: 1 });
  fat = await aHost(world, { name: "b", ports: 2 });
  await aHost(world, { name: "c", services: 2 });
  await fill(fat, FAT);
});

afterAll(() => topology.stop());

/** Adds services past the API, with details larger than it allows: few make 17 MB. */
async function fill(host: Host, count: number): Promise<void> {
  const { services } = createStorage(topology.db, () =>
    Promise.reject(new Error("nothing runs in a transaction here")),
  );
  const { created_at, updated_at, network_id } = host;
  const documents = Array.from({ length: count }, (_, position) => {
    const virtualization = { type: "vm", details: DETAILS };
    const entity = serviceKind.make(
      { name: `s${position}`, service_definition: "nginx", tags: [], virtualization },
      {
        ...{ id: newId(), created_at, updated_at, network_id, host_id: host.id, position },
        ...{ source: { type: "Manual" }, bindings: [] },
      },
    );
    return { ...services.documentOf(owner.scope.organizationId, { entity, revision: 1 }), host_name: host.name };
  });
  await services.collection.insertMany(documents, { writeConcern: { w: "majority" } });
  await topology.db
    .collection<{ _id: string }>("hosts")
    .updateOne({ _id: host.id }, { $set: { "inventory.services": count } });
}

const positions = ({ services }: Host): number[] => services.map(({ position }) => position);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("topology.fat-hosts: a host with 17 MB of services", () => {
  it("is returned completely, by a read and after a write", async () => {
    const { data, etag } = await owner.send(getHost, { params: fat });
    expect([positions(data), data.ports.length]).toEqual([upTo(FAT), 2]);
    const body = { name: "b", network_id: fat.network_id, hostname: "fat.example" };
    const updated = await owner.send(updateHost, { params: fat, body });
    expect([positions(updated.data), updated.data.hostname]).toEqual([upTo(FAT), "fat.example"]);
    expect(updated.etag).not.toBe(etag);
    expect((await owner.send(getHost, { params: fat })).text).toBe(updated.text);
  });

  it("does not block others from listing hosts, by page or completely", async () => {
    for (const query of [
      { limit: 0 },
      { limit: 1000 },
      { limit: 3, order_by: "name", order_direction: "desc" },
    ] as const) {
      const { rows, total } = await owner.list(listHosts, { query });
      const sorted = [...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
      expect([sorted.map(({ name }) => name), total]).toEqual([["a", "b", "c"], 3]);
      expect(sorted.map(positions)).toEqual([upTo(3), upTo(FAT), upTo(2)]);
      expect(sorted.map(({ ports, interfaces }) => [ports.length, interfaces.length])).toEqual([
        [2, 1],
        [2, 0],
        [0, 0],
      ]);
    }
    expect((await owner.list(listHosts, { query: { limit: 0, offset: 2 } })).total).toBe(3);
  });

  it("does not block others from listing services or reading the graph", async () => {
    for (const limit of [0, 1000]) {
      const { rows, total } = await owner.list(listServices, {
        query: { limit, host_id: fat.id, order_by: "position" },
      });
      expect([rows.map(({ position }) => position), total]).toEqual([upTo(FAT), FAT]);
    }
    const { nodes } = await owner.call(getTopology, {});
    expect(nodes.filter(({ kind }) => kind === "service")).toHaveLength(FAT + 5);
  });

  it("does not block others from exporting services", async () => {
    const { text } = await owner.raw("get", "/api/v1/exports/ansible");
    const { all } = JSON.parse(text) as { all: { hosts: Record<string, { nts_services: unknown[] }> } };
    expect(Object.values(all.hosts).map(({ nts_services }) => nts_services.length)).toEqual([3, FAT, 2]);
    expect(text.length).toBeLessThan(100_000);
  });

  it("has its database cursor closed at once when its reader disconnects", async () => {
    await owner.abandon("/api/v1/services?limit=0");
    await until(async () => (await openCursors()) === 0);
  });
});

/** Open cursors of the database server on the services; that of the journal stays open. */
async function openCursors(): Promise<number> {
  const stages = [{ $currentOp: { idleCursors: true } }, { $match: { type: "idleCursor" } }];
  const found = await topology.db.client
    .db("admin", { readConcern: new ReadConcern("local") })
    .aggregate<{ ns: string }>(stages)
    .toArray();
  return found.filter(({ ns }) => ns === `${topology.db.databaseName}.services`).length;
}

describe("topology.fat-hosts: the limits of a host", () => {
  const refusal = (kind: string) => [
    400,
    "validation_failed",
    { errors: [{ path: "host_id", message: `a host can have at most 1000 ${kind}` }] },
  ];

  it("are 1,000 ports, however many writers add them concurrently", async () => {
    const host = await aHost(world, { name: "d", ports: 990 });
    const body = (number: number) => ({
      host_id: host.id,
      network_id: host.network_id,
      number,
      protocol: "Udp" as const,
    });
    const sent = await Promise.all(upTo(24).map((n) => owner.via(n % 2).send(createPort, { body: body(n + 1) })));
    const statuses = sent.map(({ status }) => status).sort();
    expect(statuses).toEqual([...upTo(10).map(() => 200), ...upTo(14).map(() => 400)]);
    expect(await owner.refusal(createPort, { body: body(99) })).toEqual(refusal("ports"));
    expect((await owner.call(getHost, { params: host })).ports).toHaveLength(1000);
    await owner.call(deletePort, { params: host.ports[0]! });
    await owner.call(createPort, { body: body(99) });
  });

  it("are 1,000 services, including those that move to it", async () => {
    const services = upTo(1000).map((n) => ({ name: `s${n}`, service_definition: "nginx" }));
    const { id } = await owner.call(createHost, { body: { network_id: world.network.id, name: "full", services } });
    const other = await aService(world, await aHost(world, { name: "e" }));
    const moved = { ...echoOf(other), host_id: id };
    expect(await owner.refusal(updateService, { params: other, body: moved })).toEqual(refusal("services"));
  });
});
