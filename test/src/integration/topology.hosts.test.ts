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
  mergeHosts,
  patchInterface,
  type Port,
  splitHost,
  updateHost,
  updatePort,
} from "@nts/shared/contract";
import { archiveOf, imported } from "../support/archives.js";
import { hostsOf, importScan, scanOf, upHost } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { currentState, waitForJournal } from "../support/moments.js";
import { expectReplayEqualsLists, revert, withoutTimes, withRequestId } from "../support/reverts.js";
import { type Caller, type Refusal, startTopology, type Topology } from "../support/topology.js";
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
  topology = await startTopology({ journal: true });
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

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

/** Two hosts that have an address and a port in common, each with what the other one lacks. */
async function twoOfOneMachine() {
  const world = await aWorld();
  const { owner, network, subnet } = world;
  const at = (n: number, more: object = {}) => ({ ip_address: `10.0.0.${n}`, subnet_id: subnet.id, ...more });
  const web = (bindings: object[], more: object = {}) => ({
    name: "web",
    service_definition: "nginx",
    bindings: bindings as never,
    ...more,
  });
  const onFirst = (n: number) => [{ type: "Port", port_id: local(n), interface_id: local(1) }];
  const host = await owner.call(createHost, {
    body: {
      ...{ network_id: network.id, name: "nas", tags: ["rack 1"], attributes: { owner: "ops" } },
      interfaces: [at(1, { id: local(1) }), at(2, { id: local(2), name: "eth1" })],
      ports: [{ id: local(3), number: 80, protocol: "Tcp" }],
      services: [web(onFirst(3), { tags: ["own"] })],
    },
  });
  const other = await owner.call(createHost, {
    body: {
      ...{ network_id: network.id, name: "storage", hostname: "nas.example", description: "stores", role: "Nas" },
      ...{ tags: ["rack 2"], attributes: { owner: "others", serial: "7" } },
      interfaces: [at(1, { id: local(1), mac_address: "02:00:00:00:00:01" }), at(3, { id: local(2) })],
      ports: [
        { id: local(3), number: 80, protocol: "Tcp" },
        { id: local(4), number: 22, protocol: "Tcp" },
      ],
      services: [
        { name: "ssh", service_definition: "SSH", bindings: [{ type: "Port", port_id: local(4) }] },
        web([{ type: "Port", port_id: local(3), interface_id: local(2) }], { tags: ["theirs"] }),
      ],
    },
  });
  return { ...world, host, other };
}

/** What a host has, by name. */
function shownOf({ interfaces, ports, services, ...host }: Host): object {
  const ip = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  const number = new Map(ports.map((one) => [one.id, one.number]));
  const { name, hostname, description, role, attributes, tags } = host;
  return {
    ...{ name, hostname, description, role, attributes, tags },
    interfaces: interfaces.map((one) => [one.position, one.ip_address, one.mac_address, one.name]),
    ports: ports.map((one) => one.number),
    services: services.map((one) => [
      one.position,
      one.name,
      one.tags.join(),
      one.bindings
        .map(
          (binding) =>
            `${binding.type === "Port" ? number.get(binding.port_id) : "all"} at ${ip.get(binding.interface_id ?? "") ?? "all"}`,
        )
        .sort(),
    ]),
  };
}

/** Everything of an organization, without times of changes. */
async function stateOf(owner: Caller): Promise<[string, string][]> {
  const state = withoutTimes(await currentState(owner));
  return state.filter(([, text]) => !text.includes('"name":"mark '));
}

describe("hosts: merging", () => {
  it("moves children, joins what both have, and takes what the host lacks; one revert undoes it", async () => {
    const { owner, host, other } = await twoOfOneMachine();
    const cursor = await waitForJournal(owner);
    const before = await stateOf(owner);
    const dry = await owner.send(mergeHosts, { params: host, body: { host_id: other.id }, query: { dry_run: true } });
    expect([dry.status, dry.meta.plan?.action]).toEqual([200, "update"]);
    expect(await stateOf(owner)).toEqual(before);
    const headers = { "if-match": dry.meta.plan?.etag };
    const request = await withRequestId(async (id) => {
      const body = { host_id: other.id };
      const done = await owner.send(mergeHosts, { params: host, body, headers: { ...id, ...headers } });
      expect([done.status, done.etag === undefined]).toEqual([200, false]);
    });
    const merged = await owner.call(getHost, { params: host });
    expect(shownOf(merged)).toEqual({
      ...{ name: "nas", hostname: "nas.example", description: "stores", role: "Nas" },
      ...{ attributes: { owner: "ops", serial: "7" }, tags: ["rack 1", "rack 2"] },
      interfaces: [
        [0, "10.0.0.1", "02:00:00:00:00:01", null],
        [1, "10.0.0.2", null, "eth1"],
        [2, "10.0.0.3", null, null],
      ],
      ports: [22, 80],
      services: [
        [0, "web", "own,theirs", ["80 at 10.0.0.1", "80 at 10.0.0.3"]],
        [1, "ssh", "", ["22 at all"]],
      ],
    });
    expect(await owner.refusal(getHost, { params: other })).toEqual([404, "not_found", { entity: "Host" }]);
    const { rows: found } = await owner.list(listHosts, { query: { q: "10.0.0.3" } });
    expect(found.map(({ id }) => id)).toEqual([host.id]);
    await expectReplayEqualsLists(owner);
    for (const q of ["10.0.0.3", "10.0.0.3/32"]) {
      const past = await owner.list(listHosts, { query: { as_of: cursor, q } });
      expect([q, past.rows.map(({ id }) => id)]).toEqual([q, [other.id]]);
    }
    expect(await owner.call(getHost, { params: other, query: { as_of: cursor } })).toMatchObject({
      interfaces: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.3" }],
    });
    const undone = await revert(owner, request);
    expect([undone.status, undone.text]).toEqual([200, undone.text]);
    expect(await stateOf(owner)).toEqual(before);
    expect((await owner.list(listHosts, { query: { q: "10.0.0.3" } })).rows.map(({ id }) => id)).toEqual([other.id]);
    await expectReplayEqualsLists(owner);
  });

  it("is refused with the place of what does not fit", async () => {
    const { owner, host, other, network } = await twoOfOneMachine();
    const elsewhere = await aHost(await aNetwork(owner, "Office"), { name: "far" });
    const foreign = await aHost(await aWorld());
    const refused = (body: { host_id: string }, caller = owner): Promise<Refusal> =>
      caller.refusal(mergeHosts, { params: host, body });
    const place = { path: "host_id" };
    expect(await refused({ host_id: elsewhere.id })).toEqual([400, "network_mismatch", place]);
    for (const { id } of [foreign, unknownEntity()])
      expect(await refused({ host_id: id })).toEqual([400, "invalid_reference", place]);
    expect((await refused({ host_id: host.id })).slice(0, 2)).toEqual([400, "validation_failed"]);
    expect((await refused({ host_id: other.id }, owner.colleague({ networks: [elsewhere.network_id] })))[1]).toBe(
      "not_found",
    );
    const stale = { params: host, body: { host_id: other.id }, headers: { "if-match": '"0-0"' } };
    expect((await owner.refusal(mergeHosts, stale))[1]).toBe("precondition_failed");
    const many = Array.from({ length: 999 }, (_, n) => ({ number: n + 1, protocol: "Udp" as const }));
    const body = { network_id: network.id, name: "many", ports: many, interfaces: [] };
    const large = await owner.call(createHost, { body });
    expect(await owner.refusal(mergeHosts, { params: large, body: { host_id: other.id } })).toEqual([
      400,
      "validation_failed",
      { errors: [{ path: "host_id", message: "a host can have at most 1000 ports" }] },
    ]);
    expect((await owner.call(getHost, { params: other })).interfaces).toHaveLength(2);
  });

  it("takes effect once for a key, and answers a retry although the answer is too long to be kept", async () => {
    const world = await aWorld();
    const { owner } = world;
    const host = await aHost(world, { services: 60 });
    const other = await aService(world, await aHost(world, { name: "other" }), { name: "s60" });
    const merging = { params: host, body: { host_id: other.host_id }, headers: { "idempotency-key": "merge" } };
    const first = await owner.send(mergeHosts, merging);
    const again = await owner.send(mergeHosts, merging);
    expect([first.status, again.status, again.headers["idempotency-replayed"]]).toEqual([200, 200, "true"]);
    expect(again.data).toEqual(first.data);
    expect(again.data.services).toHaveLength(61);
  });

  it("is not undone by the next import of a file that says two", async () => {
    const owner = topology.aCaller();
    const { network } = await aNetwork(owner);
    const file = scanOf(
      upHost("10.0.0.1", { mac: "02:00:00:00:00:0A", hostname: "a.example", ports: [80] }) +
        upHost("10.0.0.2", { mac: "02:00:00:00:00:0B", hostname: "b.example", ports: [80, 22] }),
    );
    await importScan(owner, network.id, file);
    const [host, other] = await hostsOf(owner, network.id);
    const merged = await owner.call(mergeHosts, { params: host!, body: { host_id: other!.id } });
    expect(merged.interfaces.map(({ ip_address }) => ip_address)).toEqual(["10.0.0.1", "10.0.0.2"]);
    const { summary } = await importScan(owner, network.id, file);
    expect(summary.hosts).toMatchObject({ unchanged: 1, create: 0, update: 0 });
    expect((await hostsOf(owner, network.id)).map(shownOf)).toEqual([shownOf(merged)]);
  });
});

describe("hosts: splitting", () => {
  /** A repeater shows one MAC address for two machines, which an import takes for one. */
  const repeated = "02:00:00:00:00:0A";
  const file = scanOf(
    upHost("10.0.0.1", { mac: repeated, ports: [22, 80] }) + upHost("10.0.0.2", { mac: repeated, ports: [80, 443] }),
  );

  async function twoTakenForOne() {
    const owner = topology.aCaller();
    const { network } = await aNetwork(owner);
    await importScan(owner, network.id, file);
    const [host, ...others] = await hostsOf(owner, network.id);
    expect(others).toEqual([]);
    const at = host!.interfaces.find(({ ip_address }) => ip_address === "10.0.0.2");
    return { owner, network, host: host!, at: at! };
  }

  it("gives a new host the interfaces with what is bound to them; one revert undoes it", async () => {
    const { owner, network, host, at } = await twoTakenForOne();
    const before = await stateOf(owner);
    const body = { interface_ids: [at.id], name: "printer" };
    const dry = await owner.send(splitHost, { params: host, body, query: { dry_run: true } });
    expect([dry.status, dry.meta.plan?.action, await stateOf(owner)]).toEqual([200, "create", before]);
    const headers = { "if-match": dry.meta.plan?.etag };
    const request = await withRequestId((id) =>
      owner.call(splitHost, { params: host, body, headers: { ...id, ...headers } }),
    );
    const [old, made] = await hostsOf(owner, network.id);
    expect([old!.id, made!.name]).toEqual([host.id, "printer"]);
    expect([shownOf(old!), shownOf(made!)]).toMatchObject([
      { interfaces: [[0, "10.0.0.1", repeated, null]], ports: [22, 80] },
      { interfaces: [[0, "10.0.0.2", repeated, null]], ports: [80, 443], hostname: null },
    ]);
    expect(made!.services.flatMap(({ bindings }) => bindings.map(({ interface_id }) => interface_id))).toEqual([
      at.id,
      at.id,
    ]);
    expect([old, made].map((one) => one!.interfaces[0]!.is_separate)).toEqual([undefined, true]);
    await expectReplayEqualsLists(owner);
    expect((await revert(owner, request)).status).toBe(200);
    expect(await stateOf(owner)).toEqual(before);
  });

  it("is not undone by the next import of the same file, also from an archive, until they are merged", async () => {
    const { owner, network, host, at } = await twoTakenForOne();
    const made = await owner.call(splitHost, { params: host, body: { interface_ids: [at.id], name: "printer" } });
    const before = await stateOf(owner);
    const { summary } = await importScan(owner, network.id, file);
    expect([summary.hosts, await stateOf(owner)]).toMatchObject([{ unchanged: 2, create: 0, update: 0 }, before]);
    const elsewhere = topology.aCaller();
    await imported(elsewhere, (await archiveOf(owner)).text);
    const [copy] = (await elsewhere.list(listHosts, {})).rows;
    expect((await importScan(elsewhere, copy!.network_id, file)).summary.hosts).toMatchObject({ unchanged: 2 });
    await owner.call(mergeHosts, { params: host, body: { host_id: made.id } });
    expect((await importScan(owner, network.id, file)).summary.hosts).toMatchObject({ unchanged: 1, create: 0 });
    expect(await hostsOf(owner, network.id)).toHaveLength(1);
  });

  it("is taken back by an archive of before, and so is a merge", async () => {
    const { owner, network, host, at } = await twoTakenForOne();
    const { text } = await archiveOf(owner);
    const made = await owner.call(splitHost, { params: host, body: { interface_ids: [at.id], name: "printer" } });
    await imported(owner, text);
    const [back, left] = await hostsOf(owner, network.id);
    expect([back!.interfaces, back!.ports, left!.interfaces].map(({ length }) => length)).toEqual([2, 3, 0]);
    expect(left!.id).toBe(made.id);
  });

  it("is refused with the place of what does not fit", async () => {
    const { owner, host, at } = await twoTakenForOne();
    const other = await twoTakenForOne();
    const refused = (interface_ids: string[]): Promise<Refusal> =>
      owner.refusal(splitHost, { params: host, body: { interface_ids, name: "printer" } });
    for (const { id } of [other.at, unknownEntity()])
      expect(await refused([at.id, id])).toEqual([400, "invalid_reference", { path: "interface_ids.1" }]);
    expect(await refused(host.interfaces.map(({ id }) => id))).toEqual([
      400,
      "validation_failed",
      { errors: [{ path: "interface_ids", message: "must leave the host at least one interface" }] },
    ]);
    const patched = { params: at, body: { is_separate: true } as object };
    expect((await owner.call(patchInterface, patched)).is_separate).toBe(undefined);
  });
});
