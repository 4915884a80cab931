import { connect } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Document, ReadConcern } from "mongodb";
import { createHost, createPort, listHosts, listPorts, listServices, updateService } from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { DEADLINES } from "@nts/shared/timing";
import { startTopology, type Topology, type TopologyOptions } from "../support/topology.js";
import { aHost, aNetwork, echoOf, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

// Resources of a request are released with it: at its deadline, or when its client disconnects.

let topology: Topology;
afterEach(() => topology.stop());

const start = async (options: TopologyOptions = {}): Promise<World> => {
  topology = await startTopology(options);
  return aNetwork(topology.aCaller());
};

describe("database operations", () => {
  /**
   * Commands without a time limit: those that end something, and getMore, which counts towards the limit of its cursor.
   */
  const UNLIMITED = new Set(["getMore", "killCursors", "abortTransaction", "endSessions", "killSessions"]);
  /** Commands of the test harness. */
  const OF_THE_HARNESS = new Set(["create", "createIndexes", "listCollections", "dropDatabase"]);

  it("all have a server-side time limit", async () => {
    const unlimited = new Set<string>();
    let isServing = false;
    const world = await start({
      onCommand: ({ commandName, command }) => {
        if (!isServing || UNLIMITED.has(commandName) || OF_THE_HARNESS.has(commandName)) return;
        if (typeof command["maxTimeMS"] !== "number") unlimited.add(`${commandName}: ${JSON.stringify(command)}`);
      },
    });
    isServing = true;
    const { owner } = world;
    const host = await aHost(world, { interfaces: 2, ports: 2, services: 2 });
    const [service] = host.services;
    const body = { ...echoOf(service!), name: "other", bindings: [onPort(host.ports[0])] };
    await owner.call(updateService, { params: service!, body });
    for (const limit of [10, 0]) {
      await owner.list(listHosts, { query: { limit } });
      await owner.list(listServices, { query: { limit, q: "other" } });
    }
    for (const path of [`/api/v1/hosts/${host.id}`, "/api/v1/topology"])
      expect((await owner.raw("get", path)).status).toBe(200);
    expect((await owner.raw("delete", `/api/v1/networks/${world.network.id}`)).status).toBe(200);
    expect([...unlimited]).toEqual([]);
  });
});

describe("a client that disconnects", () => {
  it("has its waiting write rolled back, and not committed later", async () => {
    let pending: Promise<void> | null = null;
    let onPending = (): void => undefined;
    const isPending = new Promise<void>((resolve) => (onPending = resolve));
    const world = await start({
      storage: (storage) => ({
        ...storage,
        transaction: (work, keys, body) =>
          storage.transaction(work, keys, async (tx) => {
            const result = await body(tx);
            if (pending !== null) onPending();
            await pending;
            return result;
          }),
      }),
    });
    const host = await aHost(world);
    let release = (): void => undefined;
    pending = new Promise((resolve) => (release = resolve));
    const body = { host_id: host.id, network_id: host.network_id, number: 80, protocol: "Tcp" as const };
    const before = await topology.connections();
    const first = aRawPost(world, "/api/v1/ports", body);
    const second = aRawPost(world, "/api/v1/ports", { ...body, number: 81 });
    await isPending;
    first.destroy();
    second.destroy();
    await until(async () => (await topology.connections()) <= before);
    release();
    pending = null;
    await world.owner.call(createPort, { body: { ...body, number: 82 } });
    const { rows } = await world.owner.list(listPorts, { query: {} });
    expect(rows.map(({ number }) => number)).toEqual([82]);
  });

  it("in the middle of a list closes the database cursor at once", async () => {
    const world = await start();
    const virtualization = { type: "vm", details: { text: "x".repeat(12_000) } };
    const services = Array.from({ length: 60 }, (_, n) => ({
      name: `s${n}`,
      service_definition: "nginx",
      virtualization,
    }));
    for (let n = 0; n < 16; n++)
      await world.owner.call(createHost, { body: { network_id: world.network.id, name: `host ${n}`, services } });
    const since = new Date();
    const socket = aRawGet(world, "/api/v1/services?limit=0");
    await new Promise((resolve) => socket.once("readable", resolve));
    await until(async () => (await openCursors(since)).length > 0);
    const startedAt = performance.now();
    socket.destroy();
    await until(async () => (await openCursors(since)).length === 0);
    expect(performance.now() - startedAt).toBeLessThan(DEADLINES.stalledMs / 2);
  });
});

/** Idle cursors on services. @param since when they were opened, as an earlier suite may have left some in the same database */
async function openCursors(since: Date): Promise<Document[]> {
  const look = [
    { $currentOp: { idleCursors: true } },
    {
      $match: {
        type: "idleCursor",
        ns: `${topology.db.databaseName}.services`,
        "cursor.createdDate": { $gte: since },
      },
    },
  ];
  const admin = topology.db.client.db("admin", { readConcern: new ReadConcern("local") });
  return admin.aggregate(look).toArray();
}

describe("an organization with many concurrent requests", () => {
  it("queues its own requests, gets rejections beyond the queue, and does not slow down others", async () => {
    const world = await start({ shares: { operations: 1, waiting: 8 } });
    const neighbour = topology.aCaller();
    const busy = Array.from({ length: 40 }, () => world.owner.send(listHosts, { query: { q: "nothing" } }));
    const others = await Promise.all(Array.from({ length: 3 }, () => neighbour.send(listHosts, { query: {} })));
    const responses = await Promise.all(busy);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect([refused?.code, refused?.headers["retry-after"]]).toEqual(["rate_limited", "1"]);
  });
});

function headOf(world: World, method: string, path: string, more: readonly string[] = []): string {
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: topology",
    `${INTERNAL.tenancy}: ${world.owner.tenancy()}`,
    ...more,
    "",
    "",
  ].join("\r\n");
}

function aRawPost(world: World, path: string, body: object) {
  const text = JSON.stringify(body);
  const socket = connect(topology.ports[0]!, "127.0.0.1");
  const fields = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`];
  socket.write(headOf(world, "POST", path, fields) + text);
  return socket.on("error", () => undefined);
}

/** Sends a request, and reads no more than the operating system does. */
function aRawGet(world: World, path: string) {
  const socket = connect(topology.ports[0]!, "127.0.0.1");
  socket.write(headOf(world, "GET", path));
  return socket.on("error", () => undefined);
}
