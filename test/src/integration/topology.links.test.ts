/** Links and VLANs: where links end, what is refused, and what becomes of them with their hosts, interfaces and VLANs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  createInterface,
  createLink,
  createSubnet,
  createVlan,
  deleteHost,
  deleteInterface,
  deleteVlan,
  getLink,
  getSubnet,
  type Host,
  type Link,
  listLinks,
  listSubnets,
  listVlans,
  mergeHosts,
  MOST_LINKS_OF_HOST,
  patchLink,
  patchSubnet,
  patchVlan,
  splitHost,
  type Vlan,
} from "@nts/shared/contract";
import { archiveOf, imported } from "../support/archives.js";
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
    const { _id, ends, ...document } = (await links.findOne({ _id: full.id }))!;
    const others = Array.from({ length: MOST_LINKS_OF_HOST - 2 }, (_, n) => ({
      ...document,
      ...{ _id: `${_id.slice(0, -4)}${String(n).padStart(4, "0")}`, ends: `${ends} ${n}` },
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
