/** Links and VLANs: where links end, what is refused, and what becomes of them with their hosts, interfaces and VLANs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  createHost,
  createInterface,
  createLink,
  createSubnet,
  createVlan,
  deleteHost,
  deleteInterface,
  deleteVlan,
  getHostAttachment,
  getLink,
  getSubnet,
  type Host,
  type ImportPlan,
  type Link,
  listHosts,
  listLinks,
  listSubnets,
  listVlans,
  mergeHosts,
  MOST_LINKS_OF_HOST,
  patchHost,
  patchLink,
  patchSubnet,
  patchVlan,
  splitHost,
  type Vlan,
} from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { archiveOf, imported } from "../support/archives.js";
import { importFile, sendFile } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { waitForJournal } from "../support/moments.js";
import { revert, withRequestId } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, unknownEntity, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let home: World;
let office: World;
let nas: Host;
let core: Host;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(() => topology.stop());

beforeEach(async () => {
  owner = topology.aCaller();
  home = await aNetwork(owner, "Home");
  office = await aNetwork(owner, "Office");
  nas = await aHost(home, { name: "nas", interfaces: 2 });
  core = await aHost(home, { name: "core" });
});

const body = (...ends: readonly object[]) => ({ network_id: home.network.id, ends }) as never;
const link = (...ends: readonly object[]): Promise<Link> => owner.call(createLink, { body: body(...ends) });
const at = (host: Host, port: string | null = null) => ({ host_id: host.id, interface_id: null, port });
const vlan = (vid = 10, world = home): Promise<Vlan> =>
  owner.call(createVlan, { body: { network_id: world.network.id, vid, name: `VLAN ${vid}` } });
const linksNow = async (query = {}): Promise<readonly Link[]> => (await owner.list(listLinks, { query })).rows;

describe("a link", () => {
  it("has defaults, keeps what was sent, and is found by its hosts and VLANs", async () => {
    const plain = await link(at(nas), at(core));
    expect(plain).toMatchObject({
      kind: "Ethernet",
      ends: [at(nas), at(core)],
      vlan_ids: [],
      speed_mbps: null,
      source: { type: "Manual" },
      tags: [],
    });
    const { id } = await vlan();
    const ends = [
      { host_id: nas.id, interface_id: nas.interfaces[0]!.id, port: "eth0" },
      { host_id: core.id, interface_id: null, port: "Gi1/0/24" },
    ];
    const whole = { kind: "Wireless", ends, vlan_ids: [id], speed_mbps: 1_000, tags: ["rack"] } as const;
    const made = await owner.call(createLink, { body: { network_id: home.network.id, ...whole } as never });
    expect(made).toMatchObject(whole);
    expect(await owner.call(getLink, { params: made })).toEqual(made);
    expect(await linksNow({ host_id: core.id })).toEqual([plain, made]);
    expect(await linksNow({ vlan_id: id })).toEqual([made]);
    expect(await linksNow({ network_id: office.network.id })).toEqual([]);
    const patched = await owner.call(patchLink, { params: made, body: { speed_mbps: null, vlan_ids: [] } });
    expect(patched).toMatchObject({ speed_mbps: null, vlan_ids: [], ends });
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("is there once for the same ends, in either order and spelling", async () => {
    await link(at(nas), at(core, "Gi1/0/1"));
    const refusal = [409, "already_exists", { entity: "Link", field: "ends" }];
    expect(await owner.refusal(createLink, { body: body(at(core, "gi1/0/1"), at(nas)) })).toEqual(refusal);
    const other = await link(at(nas), at(core, "Gi1/0/2"));
    expect(await owner.refusal(patchLink, { params: other, body: { ends: [at(core, "Gi1/0/1"), at(nas)] } })).toEqual(
      refusal,
    );
    const two = await Promise.all(
      Array.from({ length: 4 }, () => owner.send(createLink, { body: body(at(nas, "9"), at(core, "9")) })),
    );
    expect(two.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  it("ends at two hosts of its network, and at their own interfaces", async () => {
    const far = await aHost(office, { name: "far", interfaces: 1 });
    const refused = (...ends: readonly object[]) => owner.refusal(createLink, { body: body(...ends) });
    expect(await refused(at(nas), at(far))).toEqual([400, "network_mismatch", { path: "ends.1.host_id" }]);
    expect(await refused({ host_id: unknownEntity().id }, at(nas))).toEqual([
      400,
      "invalid_reference",
      { path: "ends.0.host_id" },
    ]);
    for (const id of [far.interfaces[0]!.id, unknownEntity().id])
      expect(await refused(at(nas), { host_id: core.id, interface_id: id })).toEqual([
        400,
        "invalid_reference",
        { path: "ends.1.interface_id" },
      ]);
    for (const ends of [[at(nas), at(nas, "2")], [at(nas)], [at(nas), at(core), at(far)]])
      expect((await refused(...ends)).slice(0, 2)).toEqual([400, "validation_failed"]);
    const limited = owner.colleague({ networks: [home.network.id], permission: "Member" });
    expect(await limited.refusal(createLink, { body: body(at(nas), at(far)) })).toEqual([
      400,
      "invalid_reference",
      { path: "ends.1.host_id" },
    ]);
  });

  it("is one of a limited number of its host, also when they are made at the same time or moved to it", async () => {
    const full = await link(at(nas), at(core));
    const links = topology.db.collection<{ _id: string; ends: string }>("links");
    const { ends, ...document } = (await links.findOne({ _id: full.id }))!;
    const others = Array.from({ length: MOST_LINKS_OF_HOST - 2 }, (_, n) => ({
      ...document,
      ...{ _id: newId(), ends: `${ends} ${n}` },
    }));
    await links.insertMany(others);
    const [tv, printer] = await Promise.all(["tv", "printer"].map((name) => aHost(home, { name })));
    const racing = await Promise.all(
      ["1", "2"].map((port) => owner.send(createLink, { body: body(at(tv!), at(core, port)) })),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 400]);
    const refused = { status: 400, text: expect.stringContaining("a host can have at most 2,000 links") as unknown };
    expect(await owner.send(createLink, { body: body(at(tv!), at(core, "3")) })).toMatchObject(refused);
    const aside = await link(at(tv!), at(printer!));
    const moved = { params: aside, body: { ends: [at(tv!), at(core, "3")] } };
    expect(await owner.send(patchLink, moved)).toMatchObject(refused);
    // Ends that stay at their hosts are none more.
    await owner.call(patchLink, { params: full, body: { ends: [at(nas, "eth0"), at(core)] } });
    await links.deleteMany({ _id: { $in: others.map((one) => one._id) } });
  });

  it("carries VLANs of its network, which stay while they are used", async () => {
    const own = await vlan();
    const foreign = await vlan(10, office);
    const made = await link(at(nas), at(core));
    const carrying = (...vlan_ids: readonly string[]) => ({ params: made, body: { vlan_ids: [...vlan_ids] } });
    expect(await owner.refusal(patchLink, carrying(own.id, foreign.id))).toEqual([
      400,
      "network_mismatch",
      { path: "vlan_ids.1" },
    ]);
    expect(await owner.refusal(patchLink, carrying(unknownEntity().id))).toEqual([
      400,
      "invalid_reference",
      { path: "vlan_ids.0" },
    ]);
    await owner.call(patchLink, carrying(own.id));
    expect(await owner.refusal(deleteVlan, { params: own })).toEqual([409, "in_use", { entity: "Vlan" }]);
    await owner.call(patchLink, carrying());
    expect(await owner.call(deleteVlan, { params: own })).toBeNull();
  });
});

describe("a VLAN", () => {
  it("has a number that is unique in its network, and is found by number and name", async () => {
    const ten = await vlan(10);
    const twenty = await vlan(20);
    await vlan(10, office);
    const refusal = [409, "already_exists", { entity: "Vlan", field: "vid" }];
    expect(await owner.refusal(patchVlan, { params: twenty, body: { vid: 10 } })).toEqual(refusal);
    const query = { network_id: home.network.id, order_by: "vid", order_direction: "desc" } as const;
    expect((await owner.list(listVlans, { query })).rows).toEqual([twenty, ten]);
    expect((await owner.list(listVlans, { query: { ...query, q: "vlan 2" } })).rows).toEqual([twenty]);
    for (const vid of [0, 4095, 1.5])
      expect((await owner.refusal(patchVlan, { params: ten, body: { vid } })).slice(0, 2)).toEqual([
        400,
        "validation_failed",
      ]);
  });

  it("has subnets of its network", async () => {
    const ten = await vlan();
    const foreign = await vlan(10, office);
    const patch = (vlan_id: string | null) => ({ params: home.subnet, body: { vlan_id } });
    expect(home.subnet.vlan_id).toBeNull();
    expect(await owner.refusal(patchSubnet, patch(foreign.id))).toEqual([400, "network_mismatch", { path: "vlan_id" }]);
    expect(await owner.refusal(patchSubnet, patch(unknownEntity().id))).toEqual([
      400,
      "invalid_reference",
      { path: "vlan_id" },
    ]);
    const inIt = await owner.call(patchSubnet, patch(ten.id));
    expect((await owner.list(listSubnets, { query: { vlan_id: ten.id } })).rows).toEqual([inIt]);
    expect(await owner.refusal(deleteVlan, { params: ten })).toEqual([409, "in_use", { entity: "Vlan" }]);
    const second = { network_id: home.network.id, cidr: "10.1.0.0/16", name: "Guests", vlan_id: ten.id };
    expect((await owner.call(createSubnet, { body: second })).vlan_id).toBe(ten.id);
    expect((await owner.call(patchSubnet, patch(null))).vlan_id).toBeNull();
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});

describe("what becomes of links", () => {
  it("those of a deleted host go with it, and come back with it", async () => {
    const gone = await link(at(nas), at(core));
    const other = await link(at(core), at(await aHost(home, { name: "printer" })));
    const requestId = await withRequestId((headers) => owner.call(deleteHost, { params: nas, headers }));
    expect(await linksNow()).toEqual([other]);
    await waitForJournal(owner);
    await revert(owner, requestId);
    expect((await linksNow()).map(({ id, ends }) => ({ id, ends }))).toContainEqual({ id: gone.id, ends: gone.ends });
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("those of many hosts, more than one transaction deletes, are gone at once", async () => {
    const many: Host[] = [];
    for (let n = 0; n < 6; n += 1) many.push(await aHost(home, { name: `host ${n}`, ports: 90 }));
    for (const host of many) await link(at(host), at(core, `port ${host.name}`));
    const kept = await link(at(nas), at(core));
    const [first] = await linksNow({ host_id: many[0]!.id });
    await owner.call(bulkDeleteHosts, { body: many.map(({ id }) => id) });
    expect(await linksNow()).toEqual([kept]);
    expect(await owner.refusal(getLink, { params: first! })).toEqual([404, "not_found", { entity: "Link" }]);
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("a link keeps the name of a deleted interface as its port, and is one with another that says the same", async () => {
    const [first, second] = nas.interfaces;
    const ofInterface = (id: string) => ({ host_id: nas.id, interface_id: id, port: null });
    const one = await link(ofInterface(first!.id), at(core, "1"));
    const twice = await link(ofInterface(second!.id), at(core, "2"));
    await link(at(nas, "eth1"), at(core, "2"));
    const requestId = await withRequestId((headers) => owner.call(deleteInterface, { params: first!, headers }));
    expect((await owner.call(getLink, { params: one })).ends[0]).toEqual({
      ...ofInterface(first!.id),
      interface_id: null,
      port: "eth0",
    });
    await waitForJournal(owner);
    await revert(owner, requestId);
    expect((await owner.call(getLink, { params: one })).ends).toEqual(one.ends);
    await owner.call(deleteInterface, { params: second! });
    expect(await owner.refusal(getLink, { params: twice })).toEqual([404, "not_found", { entity: "Link" }]);
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("merging and splitting hosts takes links along", async () => {
    const twin = await aHost(home, { name: "nas-2" });
    const address = { network_id: home.network.id, host_id: twin.id, subnet_id: home.subnet.id };
    const theirs = await owner.call(createInterface, { body: { ...address, ip_address: "10.0.9.9", name: "eth9" } });
    const wired = await link({ host_id: twin.id, interface_id: theirs.id, port: null }, at(core, "9"));
    const mine = await link(at(nas), at(core, "1"));
    await link(at(twin), at(core, "1"));
    await link(at(twin), at(nas));
    await owner.call(mergeHosts, { params: nas, body: { host_id: twin.id } });
    expect((await linksNow()).map(({ id }) => id).toSorted()).toEqual([wired.id, mine.id].toSorted());
    expect((await owner.call(getLink, { params: wired })).ends[0]).toMatchObject({ host_id: nas.id });
    const split = { interface_ids: [theirs.id], name: "nas-2" };
    const { id } = await owner.call(splitHost, { params: nas, body: split });
    expect((await owner.call(getLink, { params: wired })).ends[0]).toMatchObject({
      host_id: id,
      interface_id: theirs.id,
    });
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("is there as it was at a past moment", async () => {
    const made = await link(at(nas), at(core));
    const before = await waitForJournal(owner);
    await owner.call(patchLink, { params: made, body: { kind: "Wireless" } });
    await owner.call(deleteHost, { params: core });
    await waitForJournal(owner);
    expect(await linksNow({ as_of: before, host_id: core.id })).toEqual([made]);
    expect(await linksNow()).toEqual([]);
  });

  it("an archive brings links and VLANs along, into another organization too", async () => {
    const ten = await vlan();
    await owner.call(patchSubnet, { params: home.subnet, body: { vlan_id: ten.id } });
    const ends = [{ host_id: nas.id, interface_id: nas.interfaces[0]!.id, port: null }, at(core, "1")];
    const made = await owner.call(createLink, { body: { network_id: home.network.id, ends, vlan_ids: [ten.id] } });
    const out = await archiveOf(owner);
    const again = await imported(owner, out.text);
    expect([again.summary.Link, again.summary.Vlan]).toEqual(
      [1, 1].map((unchanged) => ({ create: 0, update: 0, unchanged, failed: 0 })),
    );
    const other = topology.aCaller();
    const there = await imported(other, out.text);
    expect(there.failed).toEqual([]);
    const [copy] = (await other.list(listLinks, { query: {} })).rows;
    expect(copy).toMatchObject({ kind: made.kind, ends: [{ port: null }, { port: "1" }] });
    expect(copy!.ends[0]!.interface_id).not.toBeNull();
    expect((await other.list(listSubnets, { query: { vlan_id: copy!.vlan_ids[0]! } })).rows).toHaveLength(1);
    await imported(other, out.text);
    expect((await other.list(listLinks, { query: {} })).rows).toEqual([copy]);
    expect((await owner.call(getSubnet, { params: home.subnet })).vlan_id).toBe(ten.id);
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});

describe("what a host hangs on", () => {
  const attachmentsOf = async (host: Host, query = {}) =>
    (await owner.call(getHostAttachment, { params: host, query })).attachments;
  const role = (host: Host, to: string): Promise<unknown> =>
    owner.call(patchHost, { params: host, body: { role: to as never } });

  it("is the next switch, through unmanaged ones, and for a guest that of what it runs on", async () => {
    expect(await attachmentsOf(nas)).toEqual([]);
    await role(core, "Switch");
    const direct = await link(at(nas), at(core, "Gi1/0/1"));
    const step = { host_id: core.id, name: "core", port: "Gi1/0/1", interface_id: null };
    const first = { via: "link", link_id: direct.id, ...step, is_unmanaged: false };
    const attachment = { switch: { ...step, role: "Switch" }, path: [first], link_source: "Manual" };
    expect(await attachmentsOf(nas)).toEqual([attachment]);

    const desk = await aHost(home, { name: "desk" });
    await owner.call(patchHost, { params: desk, body: { role: "Switch", attributes: { unmanaged: true } } });
    const pc = await aHost(home, { name: "pc" });
    await link(at(pc, "eth0"), at(desk));
    await link(at(desk), at(core, "Gi1/0/2"));
    const [through] = await attachmentsOf(pc);
    expect(through?.path.map(({ name, port, is_unmanaged }) => [name, port, is_unmanaged])).toEqual([
      ["desk", null, true],
      ["core", "Gi1/0/2", false],
    ]);
    expect(through?.switch).toMatchObject({ name: "core", port: "Gi1/0/2" });

    const guest = await aHost(home, { name: "guest" });
    const runs = { type: "Proxmox", details: { host_id: nas.id } };
    await owner.call(patchHost, { params: guest, body: { virtualization: runs } });
    const [ofGuest] = await attachmentsOf(guest);
    expect(ofGuest?.path.map(({ via, name }) => [via, name])).toEqual([
      ["virtualization", "nas"],
      ["link", "core"],
    ]);

    const before = await waitForJournal(owner);
    await owner.call(deleteHost, { params: core });
    expect(await attachmentsOf(nas)).toEqual([]);
    expect(await attachmentsOf(nas, { as_of: before })).toEqual([attachment]);
  });

  it("is unknown for a host of another network", async () => {
    const limited = owner.colleague({ networks: [office.network.id] });
    expect((await limited.refusal(getHostAttachment, { params: nas }))[1]).toBe("not_found");
  });
});

describe("an import of what switches tell", () => {
  /** A walk of a switch: `hears` are `port name chassis far port`, `learns` are `port mac`. */
  function walk(name: string, n: number, { hears = [], learns = [] }: { hears?: string[]; learns?: string[] }): string {
    const bytes = (mac: string): string => mac.replaceAll(":", " ");
    const numbers = (mac: string): string =>
      mac
        .split(":")
        .map((byte) => parseInt(byte, 16))
        .join(".");
    const remote = (column: number, port: string, value: string): string =>
      `.1.0.8802.1.1.2.1.4.1.1.${column}.0.${port}.1 = ${value}`;
    return [
      `.1.3.6.1.2.1.1.5.0 = STRING: "${name}"`,
      ...[1, 2, 3].flatMap((port) => [
        `.1.3.6.1.2.1.2.2.1.2.${port} = STRING: "Gi0/${port}"`,
        `.1.3.6.1.2.1.17.1.4.1.2.${port} = INTEGER: ${port}`,
      ]),
      `.1.3.6.1.2.1.4.20.1.2.10.0.9.${n} = INTEGER: 1`,
      `.1.3.6.1.2.1.17.1.1.0 = Hex-STRING: ${bytes(chassis(n))}`,
      '.1.3.6.1.2.1.17.7.1.4.3.1.1.10 = STRING: "Office"',
      ...hears
        .map((text) => text.split(" "))
        .flatMap(([port = "", other = "", mac = "", far = ""]) => [
          remote(4, port, "INTEGER: 4"),
          remote(5, port, `Hex-STRING: ${bytes(mac)}`),
          remote(6, port, "INTEGER: 5"),
          remote(7, port, `STRING: "${far}"`),
          remote(9, port, `STRING: "${other}"`),
        ]),
      ...learns
        .map((text) => text.split(" "))
        .map(([port = "", mac = ""]) => `.1.3.6.1.2.1.17.4.3.1.2.${numbers(mac)} = INTEGER: ${port}`),
    ].join("\n");
  }
  const chassis = (n: number): string => `00:1B:21:00:00:0${n}`;
  const card = (n: number): string => `00:11:32:00:00:0${n}`;
  const machine = (name: string, n: number): Promise<Host> =>
    owner.call(createHost, {
      body: {
        network_id: home.network.id,
        name,
        interfaces: [{ subnet_id: home.subnet.id, ip_address: `10.0.8.${n}`, mac_address: card(n) }],
      },
    });
  const texts = async (): Promise<string[]> => {
    const { rows } = await owner.list(listHosts, { query: { network_id: home.network.id } });
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return (await linksNow())
      .map(({ ends }) =>
        ends
          .map((end) => `${names.get(end.host_id) ?? ""} ${end.port ?? ""}`.trim())
          .sort()
          .join(" – "),
      )
      .sort();
  };

  it("makes links, VLANs, unmanaged switches and neighbours that nobody knew, once, and can be undone", async () => {
    const pc = await machine("pc", 1);
    await machine("left", 2);
    await machine("right", 3);
    const file = walk("sw1", 1, {
      hears: [`3 sw2 ${chassis(2)} Gi0/7`],
      learns: [`1 ${card(1)}`, `2 ${card(2)}`, `2 ${card(3)}`],
    });
    const query = { network_id: home.network.id };
    const planned = await importFile(owner, "snmp-walk", { ...query, dry_run: "true" }, file);
    expect(await linksNow()).toEqual([]);
    expect(planned.summary).toMatchObject({
      hosts: { create: 3 },
      vlans: { create: 1, existing: 0 },
      links: { create: 5, update: 0, unchanged: 0, failed: 0 },
    });
    const done = await importFile(owner, "auto", query, file);
    const shape = ({ vlans, links, summary }: ImportPlan) => [
      vlans?.map(({ vid, action }) => [vid, action]),
      links?.map(({ ends, action }) => [action, ...ends.map((end) => `${end.host_name} ${end.port ?? ""}`)]),
      summary,
    ];
    expect([done.format, shape(done)]).toEqual(["snmp-walk", shape(planned)]);
    const made = [
      "Unmanaged switch or access point at sw1 Gi0/2 – left",
      "Unmanaged switch or access point at sw1 Gi0/2 – right",
      "Unmanaged switch or access point at sw1 Gi0/2 – sw1 Gi0/2",
      "pc – sw1 Gi0/1",
      "sw1 Gi0/3 – sw2 Gi0/7",
    ];
    expect(await texts()).toEqual(made);
    const [first] = await linksNow({ host_id: pc.id });
    expect(first).toMatchObject({ source: { type: "Discovery" }, kind: "Ethernet" });
    expect(first?.ends.map(({ interface_id }) => interface_id)).toContain(pc.interfaces[0]?.id);
    const { rows: strangers } = await owner.list(listHosts, { query: { ...query, is_known: false } });
    expect(strangers.map(({ name }) => name).toSorted()).toEqual([
      "Unmanaged switch or access point at sw1 Gi0/2",
      "sw1",
      "sw2",
    ]);
    const [hung] = (await owner.call(getHostAttachment, { params: pc, query: {} })).attachments;
    expect(hung).toMatchObject({ switch: { name: "sw1", port: "Gi0/1", role: "Switch" }, link_source: "Discovery" });
    const { rows: named } = await owner.list(listVlans, { query });
    expect(named.map(({ vid, name }) => `${vid} ${name}`)).toEqual(["10 Office"]);

    const again = await importFile(owner, "snmp-walk", query, file);
    expect(again.summary).toMatchObject({ hosts: { create: 0 }, links: { create: 0, update: 0, unchanged: 5 } });
    expect(await texts()).toEqual(made);

    // The neighbour is met again, by the MAC address of its chassis, and hangs elsewhere by now.
    const moved = await importFile(owner, "snmp-walk", query, walk("sw2", 2, { hears: [`1 sw1 ${chassis(1)} Gi0/3`] }));
    expect(moved.summary).toMatchObject({ hosts: { create: 0 }, links: { create: 0, update: 1, unchanged: 0 } });
    expect(await texts()).toEqual([...made.slice(0, 4), "sw1 Gi0/3 – sw2 Gi0/1"]);
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("is undone as a whole", async () => {
    await machine("pc", 1);
    const before = (await owner.list(listHosts, { query: {} })).rows.length;
    const file = walk("sw1", 1, { learns: [`1 ${card(1)}`, `2 ${chassis(4)}`] });
    const query = { network_id: home.network.id };
    const requestId = await withRequestId((headers) => sendFile(owner, "snmp-walk", query, file, headers));
    expect([(await linksNow()).length, (await owner.list(listVlans, { query: {} })).rows.length]).toEqual([1, 1]);
    expect((await revert(owner, requestId)).status).toBe(200);
    expect(await linksNow()).toEqual([]);
    expect((await owner.list(listVlans, { query: {} })).rows).toEqual([]);
    expect((await owner.list(listHosts, { query: {} })).rows).toHaveLength(before);
  });

  it("leaves alone what people have written, and says so", async () => {
    await machine("pc", 1);
    const sw1 = await aHost(home, { name: "sw1" });
    await owner.call(patchHost, { params: sw1, body: { hostname: "sw1" } });
    const written = await link(at(nas), at(sw1, "gi0/1"));
    const file = walk("sw1", 1, { learns: [`1 ${card(1)}`] });
    const plan = await importFile(owner, "snmp-walk", { network_id: home.network.id }, file);
    expect(plan.summary.links).toEqual({ create: 0, update: 0, unchanged: 0, failed: 0 });
    expect(plan.skipped.map(({ what, reason }) => `${what}: ${reason}`)).toContain(
      "link sw1 Gi0/1 – pc: people have written that nas – sw1 gi0/1, which stays",
    );
    expect(await linksNow()).toEqual([written]);
  });
});
