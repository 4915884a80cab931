/** `q` of the lists of hosts and services: matches, also after changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteInterfaces,
  createHost,
  createInterface,
  createSubnet,
  deleteInterface,
  type Host,
  listHosts,
  listServices,
  patchHost,
  type QueryInputOf,
  updateHost,
  updateInterface,
  updateService,
} from "@nts/shared/contract";
import { batchesById } from "@nts/shared/mongo/migrations";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { MOST_AT_SOCKET } from "@nts/topology/storage/stores/sockets";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, aService, echoOf, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let home: World;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});
beforeEach(async () => {
  owner = topology.aCaller();
  home = await aNetwork(owner);
});

interface Made {
  readonly name: string;
  readonly hostname?: string;
  readonly addresses?: readonly string[];
  readonly tags?: string[];
}

async function make(
  { name, hostname, addresses = [], tags = [] }: Made,
  { network, subnet }: World = home,
): Promise<Host> {
  const interfaces = addresses.map((ip_address) => ({ ip_address, subnet_id: subnet.id }));
  return owner.call(createHost, {
    body: { network_id: network.id, name, ...(hostname !== undefined && { hostname }), tags, interfaces },
  });
}

const hostNames = async (query: QueryInputOf<typeof listHosts>, caller = owner): Promise<string[]> => {
  const { rows, total } = await caller.list(listHosts, { query });
  expect(total).toBeGreaterThanOrEqual(rows.length);
  return rows.map(({ name }) => name).sort();
};

const servicesOf = async (q: string): Promise<string[]> =>
  (await owner.list(listServices, { query: { q } })).rows.map(({ name }) => name).sort();

describe("topology.search: hosts in order of their addresses", () => {
  const inOrder = async (query: QueryInputOf<typeof listHosts> = {}): Promise<string[]> =>
    (await owner.list(listHosts, { query: { order_by: "address", ...query } })).rows.map(({ name }) => name);

  it("are sorted by the lowest one as a number, IPv4 before IPv6 and those without last, also after changes", async () => {
    const { data: v6 } = await owner.send(createSubnet, {
      body: { network_id: home.network.id, name: "v6", cidr: "fd00::/64" },
    });
    const none = await make({ name: "none" });
    await make({ name: "v6", addresses: ["fd00::2"] }, { ...home, subnet: v6 });
    const hundred = await make({ name: "hundred", addresses: ["10.0.0.200", "10.0.0.100"] });
    await make({ name: "nine", addresses: ["10.0.0.9"] });
    expect(await inOrder()).toEqual(["nine", "hundred", "v6", "none"]);
    expect(await inOrder({ order_direction: "desc" })).toEqual(["none", "v6", "hundred", "nine"]);
    expect(await inOrder({ limit: 2, offset: 1 })).toEqual(["hundred", "v6"]);
    await owner.call(createInterface, {
      body: { network_id: home.network.id, host_id: none.id, subnet_id: home.subnet.id, ip_address: "10.0.0.1" },
    });
    await owner.call(deleteInterface, {
      params: { id: hundred.interfaces.find(({ ip_address }) => ip_address === "10.0.0.100")!.id },
    });
    const kept = hundred.interfaces.find(({ ip_address }) => ip_address === "10.0.0.200")!;
    expect(await inOrder()).toEqual(["none", "nine", "hundred", "v6"]);
    await owner.call(updateInterface, { params: kept, body: { ...kept, ip_address: "10.0.0.2" } });
    expect(await inOrder()).toEqual(["none", "hundred", "nine", "v6"]);
  });
});

describe("topology.search: by attributes and roles", () => {
  it("are found that have all of the attributes, by key or value, and one of the roles", async () => {
    const made = await make({ name: "nas" });
    const other = await make({ name: "printer" });
    const bare = await make({ name: "bare" });
    const patch = (id: string, body: object): Promise<Host> => owner.call(patchHost, { params: { id }, body });
    const url = "https://wiki.example/a,b:c";
    await patch(made.id, { role: "Nas", attributes: { rack: "A3", height: 2, spare: false, url, room: "Büro" } });
    await patch(other.id, { role: "Printer", attributes: { rack: "B1", height: 2 } });
    for (const [attribute, names] of [
      [["rack"], ["nas", "printer"]],
      [["rack:A3"], ["nas"]],
      [["height:2"], ["nas", "printer"]],
      [["height:2", "rack:B1"], ["printer"]],
      [["spare:false", "rack:B1"], []],
      [[`url:${url}`], ["nas"]],
      [["room:Büro".normalize("NFD")], ["nas"]],
      [["rac"], []],
      [["rack:"], []],
    ] as const) {
      expect([attribute, await hostNames({ attribute: [...attribute] })]).toEqual([attribute, names]);
      expect([attribute, await hostNames({ attribute: [...attribute], order_by: "name", limit: 0 })]).toEqual([
        attribute,
        names,
      ]);
    }
    expect(await hostNames({ role: ["Nas", "Printer"] })).toEqual(["nas", "printer"]);
    expect(await hostNames({ role: ["Nas"], attribute: ["height:2"] })).toEqual(["nas"]);
    await patch(made.id, { role: null, attributes: { rack: null } });
    expect(await hostNames({ attribute: ["rack"] })).toEqual(["printer"]);
    expect(await hostNames({ role: ["Nas"] })).toEqual([]);
    await patch(other.id, { attributes: { rack: "C1" } });
    expect(await hostNames({ attribute: ["rack:B1"] })).toEqual([]);
    expect(bare).toMatchObject({ role: null, attributes: {} });
  });

  it("are rejected beyond their limits", async () => {
    const { id } = await make({ name: "nas" });
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, n]));
    for (const [attributes, path] of [
      [{ Rack: 1 }, "attributes.Rack"],
      [{ "1st": 1 }, "attributes.1st"],
      [{ ["k".repeat(51)]: 1 }, `attributes.${"k".repeat(51)}`],
      [{ rack: "x".repeat(501) }, "attributes.rack"],
      [{ rack: "a\u0000b" }, "attributes.rack"],
      [{ rack: ["a"] }, "attributes.rack"],
      [many, "attributes"],
    ] as const) {
      const { status, params } = await owner.raw("patch", `/api/v1/hosts/${id}`, { attributes });
      expect([attributes, status, params]).toMatchObject([attributes, 400, { errors: [{ path }] }]);
    }
    const most = Object.fromEntries(Object.entries(many).slice(1));
    await owner.call(patchHost, { params: { id }, body: { attributes: most } });
    const { status } = await owner.raw("patch", `/api/v1/hosts/${id}`, { attributes: { one: "more" } });
    expect(status).toBe(400);
    const wrong = await owner.raw("get", "/api/v1/hosts?attribute=Rack");
    expect([wrong.status, wrong.params]).toMatchObject([400, { errors: [{ path: "attribute.0" }] }]);
  });
});

describe("topology.search: hosts by text", () => {
  it("are found by a part of the name, the hostname or any address, ignoring case", async () => {
    await make({ name: "Storage", hostname: "nas.Example.com", addresses: ["10.0.5.7", "10.0.66.8"] });
    await make({ name: "Printer" });
    for (const q of ["stor", "ORAGE", "example.COM", "nas", ".5.7", "10.0.66.8", "66"])
      expect([q, await hostNames({ q })]).toEqual([q, ["Storage"]]);
    for (const q of ["storagenas", "10.0.5.710", "z", "com10"]) expect([q, await hostNames({ q })]).toEqual([q, []]);
    expect(await hostNames({ q: "r" })).toEqual(["Printer", "Storage"]);
  });

  it("are found by letters of any language, and literally by special characters", async () => {
    const names = ["ÄPFEL", "a.b", "a*b", "a[b]", "(a|b)", "^a$", "a\\b", "{a}", "$name", "a/b", "100%", "日本"];
    for (const name of names) await make({ name });
    for (const name of names) expect([name, await hostNames({ q: name.toLowerCase() })]).toEqual([name, [name]]);
    expect(await hostNames({ q: ".*" })).toEqual([]);
    expect(await hostNames({ q: "äPFE" })).toEqual(["ÄPFEL"]);
  });

  it("are found in any normal form of Unicode, whatever form was stored", async () => {
    const forms = ["NFC", "NFD"] as const;
    for (const form of forms) await make({ name: `Büro ${form}`.normalize(form), tags: ["Küche".normalize(form)] });
    for (const form of forms) {
      expect(await hostNames({ q: "BÜRO".normalize(form) })).toHaveLength(2);
      expect(await hostNames({ tag_ids: ["Küche".normalize(form)] })).toHaveLength(2);
    }
  });

  it("are found by every part of their name, also where case and width change letters", async () => {
    const parts = [
      ["ΟΔΟΣΑ", "ΟΔΟΣ", "οδος", "δοσ"],
      ["STRASSE 1", "Straße", "straß", "STRAẞE"],
      ["Gießerei", "GIESSE", "giess", "ieß"],
      ["İzmir", "İz", "izmir", "İZM", "IZMIR"],
      ["ﬁle-store", "FILE", "file", "ﬁ"],
      ["273 \u212aelvin", "kel", "\u212a", "KELVIN"],
      ["ＮＡＳ－０１", "nas-01", "ｎａｓ", "S-0"],
    ];
    for (const [name = ""] of parts) await make({ name });
    for (const [name = "", ...others] of parts)
      for (const q of [name, ...others]) expect([q, await hostNames({ q })]).toEqual([q, [name]]);
  });

  it("are found by the word null as by any other", async () => {
    for (const name of ["null", "other"]) await make({ name });
    expect(await hostNames({ q: "null" })).toEqual(["null"]);
  });
});

describe("topology.search: changing hosts, and other filters", () => {
  it("finds them by added and changed names, hostnames and addresses, and not by removed ones", async () => {
    const host = await make({ name: "old $name", hostname: "old.example", addresses: ["10.0.1.1", "10.0.1.2"] });
    const { network_id, interfaces } = host;
    const finds = async (...parts: string[]): Promise<boolean[]> =>
      Promise.all(parts.map(async (q) => (await hostNames({ q })).length === 1));

    await owner.call(updateHost, { params: host, body: { network_id, name: "new", hostname: "new.example" } });
    expect(await finds("old", "new.e", "1.1", "1.2")).toEqual([false, true, true, true]);

    const [first, second] = interfaces;
    await owner.call(updateInterface, { params: first!, body: { ...first!, ip_address: "10.0.9.9" } });
    expect(await finds("1.1", "9.9", "1.2", "new.e")).toEqual([false, true, true, true]);
    expect(await finds("10.0.1.1/32", "10.0.9.8/31", "10.0.1.0/24")).toEqual([false, true, true]);

    const body = { host_id: host.id, network_id, subnet_id: second!.subnet_id, ip_address: "10.0.7.7", position: 0 };
    const third = await owner.call(createInterface, { body });
    expect(await finds("7.7", "9.9", "1.2", "new.e")).toEqual([true, true, true, true]);
    expect(await finds("10.0.7.0/24", "10.0.9.0/24", "10.0.0.0/16")).toEqual([true, true, true]);

    await owner.call(deleteInterface, { params: third });
    expect(await finds("7.7", "9.9", "1.2")).toEqual([false, true, true]);
    expect(await finds("10.0.7.0/24", "10.0.9.0/24")).toEqual([false, true]);
    await owner.call(bulkDeleteInterfaces, { body: interfaces.map(({ id }) => id) });
    expect(await finds("9.9", "1.2", "new.e")).toEqual([false, false, true]);
    expect(await finds("10.0.0.0/8")).toEqual([false]);
    await owner.call(updateHost, { params: host, body: { network_id, name: "newest", hostname: null } });
    expect(await finds("new.e", "newest", "10.0")).toEqual([false, true, false]);
  });

  it("combines with every other filter, order and page, and counts the results", async () => {
    const office = await aNetwork(owner, "office");
    for (const n of [3, 1, 2]) await make({ name: `web ${n}`, tags: n === 1 ? ["prod"] : [] });
    await make({ name: "web 4" }, office);
    await make({ name: "mail" });
    const page = await owner.list(listHosts, {
      query: { q: "WEB", order_by: "name", order_direction: "desc", limit: 2, offset: 1 },
    });
    expect([page.rows.map(({ name }) => name), page.total]).toEqual([["web 3", "web 2"], 4]);
    const all = await owner.list(listHosts, { query: { q: "web", order_by: "name", limit: 0 } });
    expect([all.rows.map(({ name }) => name), all.total]).toEqual([["web 1", "web 2", "web 3", "web 4"], 4]);
    expect(await hostNames({ q: "web", network_id: office.network.id })).toEqual(["web 4"]);
    expect(await hostNames({ q: "web", tag_ids: ["prod"] })).toEqual(["web 1"]);
    expect(await hostNames({ q: "web", ids: page.rows.map(({ id }) => id) })).toEqual(["web 2", "web 3"]);
    expect(await hostNames({ q: "mail", ids: page.rows.map(({ id }) => id) })).toEqual([]);
    expect(await hostNames({ q: "" })).toHaveLength(5);
  });

  it("finds hosts with an address in a block, however many there are", async () => {
    const office = await aNetwork(owner, "office");
    const many = (third: number): string[] =>
      Array.from({ length: 900 }, (_, n) => `10.0.${third + (n >> 8)}.${n & 255}`);
    await make({ name: "web 1", addresses: many(0) });
    await make({ name: "web 2", addresses: many(8), tags: ["prod"] });
    await make({ name: "web 3", addresses: ["10.0.0.9"] }, office);
    await make({ name: "web 4", addresses: ["10.0.16.1"] });
    const query = { q: "10.0.0.0/20", order_by: "name", order_direction: "desc", limit: 1, offset: 1 } as const;
    const page = await owner.list(listHosts, { query });
    expect([page.rows.map(({ name }) => name), page.total]).toEqual([["web 2"], 3]);
    const block = { q: " 10.0.0.0/20" };
    expect(await hostNames({ ...block, network_id: home.network.id })).toEqual(["web 1", "web 2"]);
    expect(await hostNames({ ...block, tag_ids: ["prod"] })).toEqual(["web 2"]);
    expect(await hostNames({ ...block, ids: page.rows.map(({ id }) => id) })).toEqual(["web 2"]);
    expect(await hostNames(block, owner.colleague({ networks: [office.network.id] }))).toEqual(["web 3"]);
    expect(await hostNames(block, topology.aCaller())).toEqual([]);
    expect(await hostNames({ q: "10.0.0.1/20" }).catch(() => "refused")).toBe("refused");

    // As stored by earlier builds.
    const { organizationId: organization_id } = owner.scope;
    await topology.db.collection("hosts").updateMany({ organization_id }, { $unset: { address_keys: 1 } });
    expect(await hostNames(block)).toEqual([]);
    await MIGRATIONS.find(({ name }) => name === "0003-addresses")?.up(topology.db, batchesById);
    expect(await hostNames(block)).toEqual(["web 1", "web 2", "web 3"]);
  });

  it("finds nothing in other networks and organizations", async () => {
    const office = await aNetwork(owner, "office");
    await make({ name: "web 1" });
    await make({ name: "web 2" }, office);
    expect(await hostNames({ q: "web" }, owner.colleague({ networks: [home.network.id] }))).toEqual(["web 1"]);
    expect(await hostNames({ q: "web" }, owner.colleague({ networks: [] }))).toEqual([]);
    expect(await hostNames({ q: "web" }, topology.aCaller())).toEqual([]);
  });

  it.each([["x".repeat(101)], [" "], ["a\nb"], ["a\u0000b"]])("rejects %j", async (q) => {
    expect((await owner.refusal(listHosts, { query: { q } })).slice(0, 2)).toEqual([400, "validation_failed"]);
  });
});

describe("topology.search: services", () => {
  it("are found by a part of the name or the definition, and not by the host's name", async () => {
    const host = await make({ name: "hosting" });
    const photos = await aService(home, host, { name: "Photos", service_definition: "Immich" });
    await aService(home, host, { name: "Shop", service_definition: "nginx" });
    expect([await servicesOf("HOTO"), await servicesOf("immi"), await servicesOf("hosting")]).toEqual([
      ["Photos"],
      ["Photos"],
      [],
    ]);
    await owner.call(updateService, { params: photos, body: { ...echoOf(photos), name: "Albums" } });
    expect([await servicesOf("photos"), await servicesOf("album")]).toEqual([[], ["Albums"]]);
    const query = { q: "s", host_id: host.id, exclude_categories: ["Media" as const] };
    expect((await owner.list(listServices, { query })).rows.map(({ name }) => name)).toEqual(["Shop"]);
  });
});

/**
 * A host with two addresses and ports, and services on all interfaces, on the second one alone, and on an interface as
 * a whole.
 */
async function aHostOfEveryKind(): Promise<Host> {
  const { network, subnet } = home;
  const lan6 = await owner.call(createSubnet, { body: { network_id: network.id, cidr: "fd00::/64", name: "LAN 6" } });
  const host = await owner.call(createHost, {
    body: {
      network_id: network.id,
      name: "gate",
      interfaces: [
        { ip_address: "10.0.5.7", subnet_id: subnet.id },
        { ip_address: "fd00::5", subnet_id: lan6.id },
        { ip_address: "10.0.5.8", subnet_id: subnet.id },
      ],
      ports: [
        { number: 443, protocol: "Tcp" },
        { number: 53, protocol: "Tcp" },
        { number: 53, protocol: "Udp" },
      ],
    },
  });
  const [dns, dnsUdp, web] = host.ports.map(({ id }) => id);
  const [, six, eight] = host.interfaces.map(({ id }) => id);
  const bind = (name: string, bindings: object[]): Promise<unknown> => aService(home, host, { name, bindings });
  await bind("everywhere", [{ type: "Port", port_id: web, interface_id: null }]);
  await bind("only six", [
    { type: "Port", port_id: web, interface_id: six },
    { type: "Port", port_id: dnsUdp, interface_id: null },
  ]);
  await bind("only tcp", [{ type: "Port", port_id: dns, interface_id: six }]);
  await bind("whole interface", [{ type: "Interface", interface_id: eight }]);
  return host;
}

describe("topology.search: an address and port", () => {
  it("finds services that are bound to the port at the address, or on all interfaces of a host that has it", async () => {
    await aHostOfEveryKind();
    for (const [q, names] of [
      ["10.0.5.7:443", ["everywhere"]],
      ["[fd00::5]:443", ["everywhere", "only six"]],
      ["[FD00:0::5]:53", ["only six", "only tcp"]],
      ["10.0.5.8:53/udp", ["only six"]],
      ["10.0.5.8:53/tcp", []],
      ["10.0.5.9:443", []],
      [":443", ["everywhere", "only six"]],
      ["53/tcp", ["only tcp"]],
      [":8443", []],
    ] as const)
      expect([q, await servicesOf(q)]).toEqual([q, names]);
  });

  it("finds hosts that have the address and the port", async () => {
    await aHostOfEveryKind();
    await make({ name: "other", addresses: ["10.0.5.9"] });
    for (const q of ["10.0.5.7:443", "[fd00::5]:53", ":53/udp", "443/tcp"])
      expect([q, await hostNames({ q })]).toEqual([q, ["gate"]]);
    for (const q of ["10.0.5.9:443", "10.0.5.7:80", "443/udp"]) expect([q, await hostNames({ q })]).toEqual([q, []]);
  });

  it("combines with every other filter, order and page, and finds nothing in other networks and organizations", async () => {
    const host = await aHostOfEveryKind();
    const office = await aNetwork(owner, "office");
    const there = await owner.call(createHost, {
      body: { network_id: office.network.id, name: "there", ports: [{ number: 443, protocol: "Tcp" }] },
    });
    await aService(office, there, {
      name: "there",
      bindings: [{ type: "Port", port_id: there.ports[0]!.id, interface_id: null }],
    });
    const find = async (query: QueryInputOf<typeof listServices>, caller = owner): Promise<unknown[]> => {
      const { rows, total } = await caller.list(listServices, { query: { q: ":443", order_by: "name", ...query } });
      return [rows.map(({ name }) => name), total];
    };
    expect(await find({ order_direction: "desc", limit: 1, offset: 1 })).toEqual([["only six"], 3]);
    expect(await find({ limit: 0 })).toEqual([["everywhere", "only six", "there"], 3]);
    expect(await find({ host_id: host.id })).toEqual([["everywhere", "only six"], 2]);
    expect(await find({ ids: [host.services[0]?.id ?? host.id] })).toEqual([[], 0]);
    expect(await find({ network_id: office.network.id })).toEqual([["there"], 1]);
    expect(await find({}, owner.colleague({ networks: [home.network.id] }))).toEqual([["everywhere", "only six"], 2]);
    expect(await find({}, owner.colleague({ networks: [] }))).toEqual([[], 0]);
    expect(await find({}, topology.aCaller())).toEqual([[], 0]);
  });

  it("is rejected in reads of the past, and so are MAC addresses", async () => {
    const query = { q: ":443", as_of: new Date().toISOString() };
    expect((await owner.refusal(listServices, { query })).slice(0, 2)).toEqual([400, "validation_failed"]);
    const ofCard = { ...query, q: "0011.32aa.bbcc" };
    expect((await owner.refusal(listHosts, { query: ofCard })).slice(0, 2)).toEqual([400, "validation_failed"]);
  });

  it("is rejected when more match than one search may look up", async () => {
    const { id: network_id, organization_id } = home.network;
    const documents = Array.from({ length: MOST_AT_SOCKET + 1 }, (_, n) => ({
      _id: `p${n}`,
      organization_id,
      network_id,
      host_id: `h${n}`,
      number: 4_242,
      protocol: "Tcp",
    }));
    const ports = topology.db.collection<{ _id: string }>("ports");
    await ports.insertMany(documents);
    for (const operation of [listServices, listHosts])
      expect((await owner.refusal(operation, { query: { q: ":4242" } })).slice(0, 2)).toEqual([
        400,
        "validation_failed",
      ]);
    await ports.deleteMany({ _id: /^p/ });
  });
});

describe("what runs on a host or its services", () => {
  const guestsOf = async (runs_on: readonly string[], more: QueryInputOf<typeof listHosts> = {}, caller = owner) => {
    const query: QueryInputOf<typeof listHosts> = { runs_on: [...runs_on], order_by: "name", ...more };
    const hosts = await caller.list(listHosts, { query });
    const services = await caller.list(listServices, { query: { runs_on: [...runs_on], as_of: more.as_of } });
    return [...hosts.rows, ...services.rows].map(({ name }) => name);
  };

  it("is listed by what their virtualization names, now and in the past, and only in the caller's scope", async () => {
    const server = await make({ name: "server" });
    const machine = await make({ name: "machine" });
    const engine = await aService(home, server, { name: "engine" });
    const on = (details: Record<string, string>) => ({ virtualization: { type: "VM", details } });
    await owner.call(patchHost, { params: { id: machine.id }, body: on({ host_id: server.id.toUpperCase() }) });
    const app = await aService(home, server, { name: "app", ...on({ service_id: engine.id }) });
    const before = new Date().toISOString();
    expect(await guestsOf([server.id])).toEqual(["machine"]);
    expect(await guestsOf([server.id, engine.id])).toEqual(["machine", "app"]);
    expect(await guestsOf([app.id])).toEqual([]);

    await owner.call(patchHost, { params: { id: machine.id }, body: { virtualization: null, role: "Server" } });
    expect(await guestsOf([server.id])).toEqual([]);
    expect(await guestsOf([server.id, engine.id], { as_of: before })).toEqual(["machine", "app"]);
    await owner.call(patchHost, { params: { id: machine.id }, body: on({ host_id: server.id }) });
    expect(await guestsOf([server.id], { role: ["Server", "Nas"] })).toEqual(["machine"]);
    expect(await guestsOf([server.id], { role: ["Nas"] })).toEqual([]);
    expect(await guestsOf([server.id], {}, owner.colleague({ networks: [] }))).toEqual([]);
    expect(await guestsOf([server.id], {}, topology.aCaller())).toEqual([]);

    // as a build before has stored them
    const virtualized = { wire: /"virtualization":\{/ };
    for (const name of ["hosts", "services"])
      await topology.db.collection(name).updateMany(virtualized, { $set: { facets: [] } });
    expect(await guestsOf([server.id, engine.id])).toEqual([]);
    await MIGRATIONS.find(({ name }) => name === "0002-runners")?.up(topology.db, batchesById);
    expect(await guestsOf([server.id, engine.id])).toEqual(["machine", "app"]);
  });
});
