/** Updates of services without a transaction: lost updates and blocking. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Document } from "mongodb";
import {
  deletePort,
  getHost,
  getService,
  type Host,
  patchService,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { startTopology, type Topology, type TopologyOptions } from "../support/topology.js";
import { writeOneHost } from "../support/topology-short.js";
import { aHost, aNetwork, echoOf, onPort, type World } from "../support/topology-world.js";

/** Longer than a short write takes, and shorter than it waits for a locked document. */
const WHILE_MS = 300;

let topology: Topology;
afterEach(() => topology.stop());

const start = async (options: TopologyOptions = {}): Promise<World> => {
  topology = await startTopology(options);
  return aNetwork(topology.aCaller());
};

const rename = ({ owner }: Pick<World, "owner">, host: Host, n: number, name = "renamed") => {
  const service = host.services[n]!;
  const headers = { "if-match": '"1"' };
  return owner.send(updateService, { params: service, body: { ...echoOf(service), name }, headers });
};

describe("updates of services without a transaction", () => {
  it("lose nothing alongside other writers, and give no ETag of their host to two states", async () => {
    topology = await startTopology({ instances: 2 });
    expect(await writeOneHost(topology, 10)).toEqual([]);
  });

  it("do not write the host, and change its ETag", async () => {
    const world = await start();
    const host = await aHost(world, { services: 3 });
    const etag = async () => (await world.owner.send(getHost, { params: host })).etag;
    expect(await etag()).toBe('"1-3"');
    expect((await rename(world, host, 0)).etag).toBe('"2"');
    expect(await etag()).toBe('"1-4"');
  });

  it("write nothing when nothing changes", async () => {
    const commands: string[] = [];
    const world = await start({ onCommand: ({ commandName }) => void commands.push(commandName) });
    const host = await aHost(world, { services: 1 });
    commands.length = 0;
    const [service] = host.services;
    const { status, etag, data } = await rename(world, host, 0, service!.name);
    expect([status, etag, data]).toEqual([200, '"1"', service]);
    expect(new Set(commands.filter((name) => name !== "getMore"))).toEqual(new Set(["find"]));
  });

  it("that arrive together are each applied once, also when a transaction holds one of their documents", async () => {
    const world = await start();
    const host = await aHost(world, { services: 8 });
    const busy = await aHost(world, { name: "busy", services: 1 });
    const locked = busy.services[0]!;
    await topology.db.client.withSession(async (session) => {
      session.startTransaction();
      const services = topology.db.collection<Document & { _id: string }>("services");
      await services.updateOne({ _id: locked.id }, { $inc: { touched: 1 } }, { session });
      const first = [0, 1, 2, 3].map((n) => rename(world, host, n));
      const waiting = rename(world, busy, 0);
      const others = await Promise.all([...first, ...[4, 5, 6, 7].map((n) => rename(world, host, n))]);
      expect(others.map(({ status, etag }) => [status, etag])).toEqual(others.map(() => [200, '"2"']));
      await session.abortTransaction();
      expect((await waiting).etag).toBe('"2"');
    });
    for (const service of [...host.services, locked])
      expect((await world.owner.send(getService, { params: service })).etag).toBe('"2"');
  });
});

describe("an update of a service that another instance has just changed", () => {
  /** Patches a service with a binding; the other change comes between its read and the lock of the host. */
  async function patchAfter(body: object, other: (owner: World["owner"], host: Host) => Promise<unknown>) {
    let before: (() => Promise<unknown>) | null = null;
    const world = await start({
      instances: 2,
      storage: (storage) => ({
        ...storage,
        hosts: {
          ...storage.hosts,
          lock: async (...given) => {
            const first = before;
            before = null;
            await first?.();
            return storage.hosts.lock(...given);
          },
        },
      }),
    });
    const host = await aHost(world, { ports: 2, services: 2 });
    const [service] = host.services;
    const bindings = [onPort(host.ports[0])];
    await world.owner.call(updateService, { params: service!, body: { ...echoOf(service!), bindings } });
    before = () => other(world.owner.via(1), host);
    return world.owner.send(patchService, { params: service!, body });
  }

  it("is applied to the state that the other one left", async () => {
    const { status, etag, data } = await patchAfter({ bindings: [] }, (owner, { services: [service] }) =>
      owner.call(patchService, { params: service!, body: { name: "renamed" } }),
    );
    expect([status, etag, data.name, data.bindings]).toEqual([200, '"4"', "renamed", []]);
  });

  it("is not rejected for a binding that was deleted with its port", async () => {
    const { status, etag, data } = await patchAfter({ position: 1 }, (owner, { ports: [port] }) =>
      owner.call(deletePort, { params: port! }),
    );
    expect([status, etag, data.position, data.bindings]).toEqual([200, '"4"', 1, []]);
  });
});

describe("an update that shifts other services of its host", () => {
  it("completes, though short updates change one of them in each of its attempts", async () => {
    let interfere: (() => Promise<unknown>) | null = null;
    const world = await start({
      instances: 2,
      storage: (storage) => ({
        ...storage,
        services: {
          ...storage.services,
          findMany: async (...given) => {
            const found = await storage.services.findMany(...given);
            await interfere?.();
            return found;
          },
        },
      }),
    });
    const host = await aHost(world, { services: 3 });
    const [first, second] = host.services;
    const other = world.owner.via(1);
    const changes: Promise<number>[] = [];
    interfere = () => {
      const body = { ...echoOf(second!), name: `renamed ${changes.length}` };
      const change = other.send(updateService, { params: second!, body }).then(({ status }) => status);
      changes.push(change);
      return Promise.race([change, delay(WHILE_MS)]);
    };
    const moved = await world.owner.send(updateService, { params: first!, body: { ...echoOf(first!), position: 2 } });
    expect([moved.status, moved.data.position]).toEqual([200, 2]);
    expect(new Set(await Promise.all(changes))).toEqual(new Set([200]));
  });
});

describe("an update of a host with its ETag", () => {
  it("is not committed after a concurrent change of a service", async () => {
    let pending: Promise<unknown> | null = null;
    let isAtEnd = (): void => undefined;
    const atEnd = new Promise<void>((resolve) => (isAtEnd = resolve));
    const world = await start({
      instances: 2,
      storage: (storage) => ({
        ...storage,
        transaction: (work, keys, body) =>
          storage.transaction(work, keys, async (tx) => {
            const result = await body(tx);
            if (pending !== null) isAtEnd();
            await pending;
            return result;
          }),
      }),
    });
    const host = await aHost(world, { services: 2 });
    const other = { owner: world.owner.via(1) };
    let release = (): void => undefined;
    pending = new Promise<void>((resolve) => (release = resolve));
    const body = { name: host.name, network_id: host.network_id, hostname: "a.example" };
    const updated = world.owner.send(updateHost, { params: host, body, headers: { "if-match": '"1-2"' } });
    await atEnd;
    pending = null;
    const renamed = rename(other, host, 0);
    await Promise.race([renamed, delay(WHILE_MS)]);
    release();
    expect([(await updated).status, (await updated).etag, (await renamed).etag]).toEqual([200, '"2-2"', '"2"']);
    expect((await world.owner.send(getHost, { params: host })).etag).toBe('"2-3"');
  });
});
