import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createPort,
  deleteHost,
  getHost,
  getPort,
  type Host,
  listHosts,
  listPorts,
  listServices,
  type Port,
  updateHost,
  updatePort,
} from "@nts/shared/contract";
import { type Refusal, startTopology, type Topology } from "../support/topology.js";
import { KINDS } from "../support/topology-everything.js";
import {
  aHost,
  aNetwork,
  aService,
  inputOf,
  unknownEntity,
  onInterface,
  onPort,
  type World,
} from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

const aWorld = (): Promise<World> => aNetwork(topology.aCaller());
const local = (n: number): string => `11111111-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** The number of documents of each kind in a network. */
async function countsIn({ network }: World): Promise<Record<string, number>> {
  const entries = [...KINDS, "bindings", "guards"].map(async (kind): Promise<[string, number]> => {
    const filter = { network_id: network.id };
    return [kind, await topology.db.collection(kind).countDocuments(filter)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe("hosts: with children in one request", () => {
  it("creates all of it, with bindings to siblings, as later reads show it", async () => {
    const { owner, network, subnet } = await aWorld();
    const made = await owner.call(createHost, {
      body: {
        network_id: network.id,
        name: "nas",
        hostname: "nas.example",
        description: "stores",
        tags: ["rack 1"],
        interfaces: [
          { id: local(1), ip_address: "10.0.0.1", subnet_id: subnet.id, mac_address: "aabbccddee0f" },
          { id: local(2), ip_address: "10.0.0.2", subnet_id: subnet.id, name: "eth1", position: 0 },
        ],
        ports: [{ id: local(443), number: 443, protocol: "Tcp" }],
        services: [
          { name: "web", service_definition: "nginx", bindings: [onPort({ id: local(443) }, { id: local(1) })] },
          { name: "ping", service_definition: "icmp", bindings: [onInterface({ id: local(2) })] },
        ],
      },
    });
    const { interfaces, ports, services } = made;
    expect(interfaces.map((it) => [it.name, it.position, it.mac_address])).toEqual([
      ["eth1", 0, null],
      [null, 1, "AA:BB:CC:DD:EE:0F"],
    ]);
    expect(ports).toMatchObject([{ number: 443, protocol: "Tcp", type: "Https", host_id: made.id }]);
    expect(services.map(({ bindings }) => bindings.map(inputOf))).toEqual([
      [onPort(ports[0], interfaces[1])],
      [onInterface(interfaces[0])],
    ]);
    expect(made).toMatchObject({ hidden: false, source: { type: "Manual" }, virtualization: null, tags: ["rack 1"] });
    expect(await owner.call(getHost, { params: made })).toEqual(made);
    expect((await owner.list(listHosts, {})).rows).toEqual([made]);
    expect((await owner.list(listServices, { query: { host_id: made.id, order_by: "position" } })).rows).toEqual(
      services,
    );
  });

  const children = (subnet_id: string) => ({
    interfaces: [{ id: local(1), ip_address: "10.0.0.1", subnet_id }],
    ports: [{ id: local(80), number: 80, protocol: "Tcp" as const }],
  });
  const serviceWith = (...bindings: ReturnType<typeof onPort>[]) => [{ name: "s", service_definition: "x", bindings }];

  it.each<[string, (world: World) => object, number, string]>([
    [
      "an address outside of its subnet",
      ({ subnet }) => ({ interfaces: [{ ip_address: "11.0.0.1", subnet_id: subnet.id }] }),
      400,
      "ip_outside_subnet",
    ],
    [
      "a missing subnet",
      () => ({ interfaces: [{ ip_address: "10.0.0.1", subnet_id: unknownEntity().id }] }),
      400,
      "invalid_reference",
    ],
    [
      "a duplicate address",
      ({ subnet }) => ({ interfaces: [1, 2].map(() => ({ ip_address: "10.0.0.1", subnet_id: subnet.id })) }),
      409,
      "already_exists",
    ],
    ["a duplicate port", () => ({ ports: [1, 2].map(() => ({ number: 80, protocol: "Tcp" })) }), 409, "already_exists"],
    [
      "a duplicate local id",
      ({ subnet }) => ({ ...children(subnet.id), ports: [{ id: local(1), number: 1, protocol: "Udp" }] }),
      400,
      "validation_failed",
    ],
    [
      "a binding to something outside of the body",
      ({ subnet }) => ({ ...children(subnet.id), services: serviceWith(onPort({ id: local(99) })) }),
      400,
      "binding_cross_host",
    ],
    [
      "conflicting bindings",
      ({ subnet }) => ({
        ...children(subnet.id),
        services: serviceWith(onPort({ id: local(80) }), onInterface({ id: local(1) })),
      }),
      409,
      "binding_conflict",
    ],
    [
      "a service with a missing tag",
      () => ({ services: [{ name: "s", service_definition: "x", tags: [unknownEntity().id] }] }),
      400,
      "invalid_reference",
    ],
    ["a missing network", () => ({ network_id: unknownEntity().id }), 400, "invalid_reference"],
  ])("creates nothing of it with %s", async (_fault, more, status, code) => {
    const world = await aWorld();
    const before = await countsIn(world);
    const body = { network_id: world.network.id, name: "h", ...children(world.subnet.id), ...more(world) };
    expect((await world.owner.refusal(createHost, { body })).slice(0, 2)).toEqual([status, code]);
    expect(await countsIn(world)).toEqual(before);
    expect((await world.owner.list(listHosts, {})).total).toBe(0);
  });
});

describe("hosts: update and delete", () => {
  it("keeps optional members that are absent, clears those that are null, and does not change children", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    const { id } = await aHost(world, { interfaces: 1, ports: 1, services: 1 });
    const full = {
      name: "nas",
      network_id: network.id,
      hostname: "h",
      description: "d",
      hidden: true,
      tags: ["t"],
      virtualization: { type: "vm", details: {} },
    };
    const set = await owner.call(updateHost, { params: { id }, body: full });
    expect(set).toMatchObject(full);
    expect(set.interfaces.length + set.ports.length + set.services.length).toBe(3);
    const bare = { name: "nas", network_id: network.id };
    expect(await owner.call(updateHost, { params: { id }, body: bare })).toEqual(set);
    const nulls = { hostname: null, description: null, virtualization: null };
    expect(await owner.call(updateHost, { params: { id }, body: { ...bare, ...nulls } })).toMatchObject({
      ...nulls,
      hidden: true,
      tags: ["t"],
    });
    const echoed = { ...set, ...nulls, interfaces: [], services: [] } as never;
    expect((await owner.call(updateHost, { params: { id }, body: echoed })).interfaces).toEqual(set.interfaces);
  });

  it("does not move to another network", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    const office = await aNetwork(world.owner, "office");
    for (const network_id of [office.network.id, unknownEntity().id])
      expect(await world.owner.refusal(updateHost, { params: host, body: { name: "h", network_id } })).toEqual([
        400,
        "network_mismatch",
        { path: "network_id" },
      ]);
  });

  it("sorts the services of a renamed host by its new name", async () => {
    const world = await aWorld();
    const a = await aHost(world, { name: "a", services: 1 });
    const b = await aHost(world, { name: "b", services: 1 });
    await world.owner.call(updateHost, { params: a, body: { name: "c", network_id: a.network_id } });
    await aService(world, a, { name: "s1" });
    const { rows } = await world.owner.list(listServices, { query: { group_by: "host", order_by: "name" } });
    expect(rows.map(({ host_id }) => host_id)).toEqual([b.id, a.id, a.id]);
  });

  it("deletes its children, and nothing of other hosts", async () => {
    const world = await aWorld();
    const empty = await countsIn(world);
    const hostToDelete = await aHost(world, { interfaces: 2, ports: 3 });
    await aService(world, hostToDelete, {
      bindings: [onPort(hostToDelete.ports[0]), onPort(hostToDelete.ports[1], hostToDelete.interfaces[0])],
    });
    const other = await aHost(world, { name: "other", interfaces: 1, ports: 1, services: 1 });
    expect(await world.owner.call(deleteHost, { params: hostToDelete })).toBeNull();
    expect(await countsIn(world)).toEqual({ ...empty, hosts: 1, interfaces: 1, ports: 1, services: 1 });
    expect(await world.owner.call(getHost, { params: other })).toEqual(other);
    expect(await world.owner.refusal(getHost, { params: hostToDelete })).toEqual([
      404,
      "not_found",
      { entity: "Host" },
    ]);
    for (const port of hostToDelete.ports) expect((await world.owner.refusal(getPort, { params: port }))[0]).toBe(404);
  });
});

describe("hosts: responses of writes", () => {
  /** A service in which a host named "gone" is deleted as soon as it is written. */
  const deletingAtOnce = async (): Promise<Topology> => {
    const hasty: Topology = await startTopology({
      storage: (storage) => ({
        ...storage,
        transaction: async (work, keys, body) => {
          const result = await storage.transaction(work, keys, body);
          await hasty.db.collection("hosts").deleteMany({ name: "gone" });
          return result;
        },
      }),
    });
    return hasty;
  };

  it("contain what was written, also when it is deleted before they are sent", async () => {
    const hasty = await deletingAtOnce();
    try {
      const world = await aNetwork(hasty.aCaller());
      const made = await aHost(world, { name: "gone", interfaces: 1, ports: 1, services: 1 });
      expect([made.interfaces.length, made.ports.length, made.services.length]).toEqual([1, 1, 1]);
      const host = await aHost(world, { name: "stays", services: 1 });
      const body = { name: "gone", network_id: host.network_id };
      const updated = await world.owner.call(updateHost, { params: host, body });
      expect([updated.name, updated.services.length]).toEqual(["gone", 1]);
    } finally {
      await hasty.stop();
    }
  });
});

describe("ports", () => {
  const body = (host: Host, more: object = {}) => ({
    host_id: host.id,
    network_id: host.network_id,
    number: 53,
    protocol: "Udp" as const,
    ...more,
  });
  const taken = [409, "already_exists", { entity: "Port", field: "number" }];

  it("are unique per host, number and protocol, on create and update", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    const add = (more: object = {}, on = host): Promise<Port> => world.owner.call(createPort, { body: body(on, more) });
    await add();
    const tcp = await add({ protocol: "Tcp" });
    await add({}, await aHost(world, { name: "other" }));
    expect(await world.owner.refusal(createPort, { body: body(host) })).toEqual(taken);
    expect(await world.owner.refusal(updatePort, { params: tcp, body: body(host) })).toEqual(taken);
    expect((await world.owner.call(getHost, { params: host })).ports).toHaveLength(2);
  });

  it("have a type derived from number and protocol, whatever a client sends", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    const made = await world.owner.call(createPort, { body: body(host, { type: "Forged" }) });
    expect(made.type).toBe("Dns");
    const updated = await world.owner.call(updatePort, { params: made, body: body(host, { number: 54, type: "Dns" }) });
    expect([updated.number, updated.type]).toEqual([54, "Custom"]);
  });

  it("reject invalid numbers, another host and another network", async () => {
    const world = await aWorld();
    const host = await aHost(world, { ports: 1 });
    const [port] = host.ports;
    const other = await aHost(world, { name: "other" });
    const refusal = (more: object): Promise<Refusal> =>
      world.owner.refusal(updatePort, { params: port!, body: body(host, more) });
    for (const number of [0, 65_536, 1.5, -1])
      expect(await refusal({ number })).toMatchObject([400, "validation_failed", { errors: [{ path: "number" }] }]);
    expect(await refusal({ host_id: other.id })).toMatchObject([
      400,
      "validation_failed",
      { errors: [{ path: "host_id" }] },
    ]);
    expect(await refusal({ network_id: unknownEntity().id })).toEqual([
      400,
      "network_mismatch",
      { path: "network_id" },
    ]);
    expect(
      await world.owner.refusal(createPort, { body: body(unknownEntity() as Host, { network_id: host.network_id }) }),
    ).toEqual([400, "invalid_reference", { path: "host_id" }]);
  });

  it("are listed by host, sorted by number", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    await aHost(world, { name: "other", ports: 3 });
    for (const number of [443, 22, 8080]) await world.owner.call(createPort, { body: body(host, { number }) });
    const { rows, total } = await world.owner.list(listPorts, {
      query: { host_id: host.id, order_by: "number", order_direction: "desc" },
    });
    expect([rows.map(({ number }) => number), total]).toEqual([[8080, 443, 22], 3]);
  });
});
