import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  bulkDeletePorts,
  createHost,
  createInterface,
  createPort,
  deleteHost,
  deleteInterface,
  deletePort,
  getHost,
  type Host,
  type Port,
  updatePort,
  updateService,
} from "@nts/shared/contract";
import type { Storage } from "@nts/topology/storage/storage";
import { AppError } from "@nts/shared/errors";
import { violationsIn } from "../support/invariants.js";
import { type ServiceResponse, startTopology, type Topology } from "../support/topology.js";
import { until } from "../support/until.js";
import { aHost, aNetwork, echoOf, onPort, type World } from "../support/topology-world.js";

// Large transactions alongside many small ones that write the same guards and hosts, over two instances; and large hosts.

/** Hosts of a write, and children of each kind of a large host; the long tier has as many as the limits allow. */
const HOSTS = Number(process.env["LARGE_WRITE_HOSTS"] ?? 60);
const CHILDREN = Number(process.env["LARGE_HOST_CHILDREN"] ?? 250);
/** Writers of small writes, and times that a large host is created. */
const WRITERS = HOSTS < 200 ? 6 : 12;
const TIMES = HOSTS < 200 ? 1 : 3;
/** The maximum round trips of a bulk operation: a deletion of each kind, and what it needs to know. */
const HANDFUL = 20;

let topology: Topology;
let world: World;
/** Runs before a transaction locks several hosts; it has read by then. */
let beforeLocking: (() => Promise<unknown>) | null = null;
/** Called when a transaction finds a host reserved for another one. */
let onReservedHost: () => void = () => undefined;
const commands = new Map<string, number>();

beforeAll(async () => {
  topology = await startTopology({
    instances: 2,
    storage: (storage) => ({ ...storage, hosts: { ...storage.hosts, lockAll: delayed(storage.hosts) } }),
    onCommand: ({ commandName, command }) => {
      commands.set(commandName, (commands.get(commandName) ?? 0) + 1);
      if (commandName === "aggregate" && JSON.stringify(command).includes("$reserved.until")) onReservedHost();
    },
  });
});
afterAll(() => topology.stop());
beforeEach(async () => {
  [beforeLocking, onReservedHost] = [null, () => undefined];
  world = await aNetwork(topology.aCaller());
});

const reserved = (): Promise<number> => topology.db.collection("hosts").countDocuments({ reserved: { $exists: true } });

function delayed({ lockAll, findMany }: Storage["hosts"]): Storage["hosts"]["lockAll"] {
  return async (tx, scope, changes) => {
    if (beforeLocking !== null) {
      await findMany(scope, { _id: { $in: [...changes.keys()] } }, tx);
      await beforeLocking();
    }
    return lockAll(tx, scope, changes);
  };
}

/** Runs writers through both instances until the work is done; every write must succeed. */
async function withWriters<T>(
  write: (writer: number, round: number) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let ended = false;
  let written = 0;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; !ended; round++) {
      await write(writer, round);
      written++;
    }
  });
  const working = (async () => {
    await until(() => written >= WRITERS);
    const startedAt = performance.now();
    const worked = await work();
    if (process.env["SHOW_TIMES"] !== undefined)
      console.log(
        expect.getState().currentTestName,
        `${Math.round(performance.now() - startedAt)} ms`,
        `${written} written`,
      );
    return worked;
  })().finally(() => (ended = true));
  const [result] = await Promise.all([working, ...writers]);
  return result;
}

async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  commands.clear();
  await work();
  return [...commands.values()].reduce((sum, count) => sum + count, 0);
}

const numbers = (length: number): number[] => Array.from({ length }, (_, n) => n);
const address = (n: number): string => `10.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`;

/** A host with this many interfaces. */
function interfacesBody({ network, subnet }: World, count: number) {
  const interfaces = numbers(count).map((n) => ({ ip_address: address(n), subnet_id: subnet.id, name: `eth${n}` }));
  return { network_id: network.id, name: "many interfaces", interfaces };
}

describe("a large write alongside many writers of small ones", () => {
  it("creates a host with 50 interfaces while interfaces are added and removed, without any rejection", async () => {
    const { owner, network, subnet } = world;
    const hosts = await Promise.all(numbers(WRITERS).map((n) => aHost(world, { name: `host ${n}` })));
    const add = async (writer: number, round: number): Promise<void> => {
      const caller = owner.via(writer % 2);
      const body = {
        host_id: hosts[writer]!.id,
        network_id: network.id,
        subnet_id: subnet.id,
        ip_address: `10.0.200.${1 + (round % 250)}`,
        name: "eth0",
      };
      const made = await caller.call(createInterface, { body });
      await caller.call(deleteInterface, { params: made });
    };
    for (let times = 0; times < TIMES; times++)
      await withWriters(add, () => owner.call(createHost, { body: interfacesBody(world, 50) }));
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("deletes many hosts together while ports of others are added and removed, without any rejection", async () => {
    const { owner, network } = world;
    const doomed = await manyHosts(HOSTS);
    const hosts = await Promise.all(numbers(WRITERS).map((n) => aHost(world, { name: `host ${n}` })));
    const add = async (writer: number, round: number): Promise<void> => {
      const caller = owner.via(writer % 2);
      const body = { host_id: hosts[writer]!.id, network_id: network.id, number: 1 + round, protocol: "Tcp" as const };
      const made = await caller.call(createPort, { body });
      await caller.call(deletePort, { params: made });
    };
    const deleted = await withWriters(add, () => owner.call(bulkDeleteHosts, { body: doomed.map(({ id }) => id) }));
    expect(deleted).toEqual({ deleted_count: HOSTS, requested_count: HOSTS });
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("removes a port of each of many hosts while the other ports of the same hosts are changed", async () => {
    const { owner } = world;
    const hosts = await manyHosts(HOSTS);
    const change = async (writer: number, round: number): Promise<void> => {
      const host = hosts[(writer * 17 + round) % hosts.length]!;
      const body = { ...host.ports[1]!, number: 1_000 + writer * 1_000 + (round % 1_000) };
      await owner.via(writer % 2).call(updatePort, { params: body, body });
    };
    const ids = hosts.map(({ ports }) => ports[0]!.id);
    const deleted = await withWriters(change, () => owner.call(bulkDeletePorts, { body: ids }));
    expect(deleted.deleted_count).toBe(HOSTS);
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});

describe("a write of several hosts with a conflict at each attempt", () => {
  it("takes precedence over other writers, which follow", async () => {
    const { owner } = world;
    const hosts = await manyHosts(2);
    const port = hosts[1]!.ports[1]!;
    const others: Promise<Port>[] = [];
    beforeLocking = () => {
      const waits = new Promise<void>((resolve) => (onReservedHost = resolve));
      const body = { ...port, number: 1_000 + others.length };
      others.push(owner.via(1).call(updatePort, { params: port, body }));
      return Promise.race([others.at(-1), waits]);
    };
    const ids = hosts.map(({ ports }) => ports[0]!.id);
    expect((await owner.via(0).call(bulkDeletePorts, { body: ids })).deleted_count).toBe(2);
    expect(await Promise.all(others)).toHaveLength(others.length);
    expect(await reserved()).toBe(0);
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("does not block other writers after it has been rejected", async () => {
    const { owner } = world;
    const hosts = await manyHosts(2);
    const port = hosts[1]!.ports[1]!;
    let others = 0;
    beforeLocking = async () => {
      if ((await reserved()) > 0) throw new AppError("not_found", { entity: "Port" });
      others += 1;
      await owner.via(1).call(updatePort, { params: port, body: { ...port, number: 1_000 + others } });
    };
    const ids = hosts.map(({ ports }) => ports[0]!.id);
    expect((await owner.via(0).send(bulkDeletePorts, { body: ids })).status).toBe(404);
    expect([others, await reserved()]).toEqual([3, 0]);
  });

  it("blocks others only briefly when its process has died", async () => {
    const { owner } = world;
    const host = (await manyHosts(1))[0]!;
    const reserved = { holder: "a process that is no more", until: new Date(Date.now() + 500) };
    await topology.db.collection<{ _id: string }>("hosts").updateOne({ _id: host.id }, { $set: { reserved } });
    const port = host.ports[1]!;
    await owner.call(updatePort, { params: port, body: { ...port, number: 1_000 } });
    expect(Date.now()).toBeGreaterThanOrEqual(reserved.until.getTime());
  });
});

describe("a bulk operation", () => {
  it("takes a few round trips, whatever its size", async () => {
    const { owner } = world;
    const trips: Record<string, number> = {};
    trips["create"] = await roundTripsOf(() => owner.call(createHost, { body: interfacesBody(world, 200) }));
    const hosts = await manyHosts(60);
    trips["delete hosts"] = await roundTripsOf(() =>
      owner.call(bulkDeleteHosts, { body: hosts.slice(0, 30).map(({ id }) => id) }),
    );
    const ports = hosts.slice(30).map((host) => host.ports[0]!.id);
    trips["delete ports"] = await roundTripsOf(() => owner.call(bulkDeletePorts, { body: ports }));
    expect(Object.entries(trips).filter(([, count]) => count > HANDFUL)).toEqual([]);
  });
});

describe("a large host", () => {
  it("is created in one request, moves its services, loses their targets, and is deleted", async () => {
    const { owner, network, subnet } = world;
    const ids = numbers(2 * CHILDREN).map(() => randomUUID());
    const made = await owner.call(createHost, {
      body: {
        network_id: network.id,
        name: "large",
        interfaces: numbers(CHILDREN).map((n) => ({ id: ids[n]!, ip_address: address(n), subnet_id: subnet.id })),
        ports: numbers(CHILDREN).map((n) => ({
          id: ids[CHILDREN + n]!,
          number: n + 1,
          protocol: "Tcp" as const,
        })),
        services: numbers(CHILDREN).map((n) => ({
          name: `s${n}`,
          service_definition: "nginx",
          bindings: [onPort({ id: ids[CHILDREN + n]! }, { id: ids[0]! })],
        })),
      },
    });
    expect([made.interfaces.length, made.ports.length, made.services.length]).toEqual([CHILDREN, CHILDREN, CHILDREN]);
    expect(await owner.call(getHost, { params: made })).toEqual(made);

    const last = made.services[CHILDREN - 1]!;
    const first = await retryTimeouts(() =>
      owner.send(updateService, { params: last, body: { ...echoOf(last), position: 0 } }),
    );
    expect(first.position).toBe(0);
    const other = await aHost(world, { name: "other" });
    const body = { ...echoOf(first), host_id: other.id, bindings: [] };
    expect((await retryTimeouts(() => owner.send(updateService, { params: first, body }))).host_id).toBe(other.id);

    // All services are bound to this interface, and all later interfaces move up.
    await retryTimeouts(() => owner.send(deleteInterface, { params: made.interfaces[0]! }));
    const left = await owner.call(getHost, { params: made });
    expect(left.services.flatMap(({ bindings }) => bindings)).toEqual([]);
    expect(left.interfaces.map(({ position }) => position)).toEqual(numbers(CHILDREN - 1));
    await retryTimeouts(() => owner.send(deleteHost, { params: made }));
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});

/** A write of a thousand documents may exceed its six seconds on a busy machine. */
async function retryTimeouts<T>(write: () => Promise<ServiceResponse<T>>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { status, data, text } = await write();
    if (status === 200) return data;
    if (attempt === 3 || (status !== 409 && status !== 504)) throw new Error(`got ${status}: ${text}`);
  }
}

/** Hosts with two ports and a service that is bound to the first. */
async function manyHosts(count: number): Promise<Host[]> {
  const { owner, network } = world;
  const one = randomUUID();
  const two = randomUUID();
  const body = {
    network_id: network.id,
    name: "one of many",
    ports: [one, two].map((id, n) => ({ id, number: n + 1, protocol: "Tcp" as const })),
    services: [{ name: "web", service_definition: "nginx", bindings: [onPort({ id: one })] }],
  };
  const hosts: Host[] = [];
  const make = async (maker: number): Promise<void> => {
    while (hosts.length < count) {
      const index = hosts.push({} as Host) - 1;
      hosts[index] = await owner.via(maker % 2).call(createHost, { body });
    }
  };
  await Promise.all(numbers(8).map(make));
  return hosts;
}
