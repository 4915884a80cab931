/** Sightings of imports, and what they miss. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Change,
  createHost,
  createPort,
  createSubnet,
  deleteHost,
  diffChanges,
  getHost,
  getPort,
  getTopology,
  type Host,
  type ImportPlan,
  knowHosts,
  listChanges,
  listHosts,
  listInterfaces,
  listPorts,
  listServices,
  mergeHosts,
  patchHost,
  reportDuplicates,
  reportGone,
  splitHost,
  updateHost,
} from "@nts/shared/contract";
import { ENTITY_KINDS } from "@nts/topology/kinds/index";
import { anEmptyNetwork, hostsOf, importScan, sendFile } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { withoutSightings } from "../support/without-sightings.js";
import { currentState, waitForJournal } from "../support/moments.js";
import { startReplay } from "../support/replay.js";
import { importBlock, missingIn, scanOfBlock, type Up } from "../support/sightings.js";
import { until } from "../support/until.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

let topology: Topology;
let owner: Caller;
let network: string;
let nas: Host;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
  ({ owner, network } = await anEmptyNetwork(topology.aCaller()));
  await importBlock(owner, network, "192.168.1.0/24", [NAS, TV], { services: "1-1000" });
  nas = byAddress(await hostsOf(owner, network))[NAS.ip] as Host;
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

const NAS: Up = { ip: "192.168.1.20", mac: "00:11:32:AA:BB:01", ports: [22, 443] };
const TV: Up = { ip: "192.168.1.150", mac: "00:11:32:AA:BB:02" };

/** The entries of a host's sightings, once all are recorded. */
async function toldOf(owner: Caller, hostId: string): Promise<Change[]> {
  return (await toldSince(owner, hostId)).filter(({ action }) => action === "missed" || action === "returned");
}

/** The entries of an entity, once all are recorded. */
async function toldSince(owner: Caller, id: string): Promise<Change[]> {
  await waitForJournal(owner);
  return owner.call(listChanges, { query: { entity_id: id } });
}

/** Imports a scan of a block as a request with an id, which is returned. */
async function importAs(owner: Caller, network: string, up: readonly Up[]): Promise<string> {
  const id = randomUUID();
  const file = scanOfBlock("192.168.1.0/24", up, { services: "1-1000" });
  const { status } = await sendFile(owner, "nmap", { network_id: network }, file, {
    ...{ "content-type": "application/xml", "x-request-id": id },
  });
  expect(status).toBe(200);
  return id;
}

const byAddress = (hosts: readonly Host[]): Record<string, Host> =>
  Object.fromEntries(hosts.map((host) => [host.interfaces[0]?.ip_address ?? "", host]));

describe("sighted entities", () => {
  it("have the times and sources of their first and last sighting, including children of a host", () => {
    const seen = { first_at: expect.any(String), last_at: expect.any(String), by: "nmap" };
    expect(nas).toMatchObject({ seen, missed_since: null });
    const onHost = [...nas.interfaces, ...nas.ports, ...nas.services];
    for (const one of onHost) expect(one).toMatchObject({ seen, missed_since: null });
  });

  it("are returned alike in lists, single reads and writes; entities without sightings have null", async () => {
    const { interfaces, ports } = nas;
    expect(await owner.call(getPort, { params: { id: ports[0]!.id } })).toEqual(ports[0]);
    expect((await owner.list(listPorts, { query: { host_id: nas.id } })).rows).toEqual(ports);
    expect((await owner.list(listInterfaces, { query: { host_id: nas.id } })).rows).toEqual(interfaces);
    expect(await owner.call(getHost, { params: { id: nas.id } })).toEqual(nas);
    const named = { params: { id: nas.id }, body: { name: "nas" } };
    expect(await owner.call(patchHost, named)).toMatchObject({ name: "nas", seen: nas.seen });
    const made = await owner.call(createPort, {
      body: { host_id: nas.id, network_id: network, number: 7777, protocol: "Tcp" },
    });
    const host = await owner.call(createHost, {
      body: { network_id: network, name: "new", ports: [{ number: 1, protocol: "Tcp" }] },
    });
    for (const one of [made, host]) expect(one).toMatchObject({ seen: null, missed_since: null });
    expect(await owner.call(getPort, { params: { id: made.id } })).toEqual(made);
    expect(await owner.call(getHost, { params: { id: host.id } })).toEqual(host);
  });

  it("keep their revision when they are missed and found again, which the journal tells once", async () => {
    const before = await owner.raw("get", `/api/v1/hosts/${nas.id}`);
    await importBlock(owner, network, "192.168.1.0/24", [NAS], { services: "1-1000" });
    await importBlock(owner, network, "192.168.1.0/24", [], { services: "1-1000" });
    const after = await owner.raw("get", `/api/v1/hosts/${nas.id}`);
    expect(after.etag).toBe(before.etag);
    expect((after.data as Host).updated_at).toBe((before.data as Host).updated_at);
    expect((after.data as Host).missed_since).not.toBeNull();
    const since = (after.data as Host).missed_since;
    const missed = await toldOf(owner, nas.id);
    const alone = JSON.parse((await currentState(owner)).get(nas.id) ?? "") as object;
    expect(missed).toEqual([
      expect.objectContaining({
        ...{ action: "missed", entity: "Host", host_id: nas.id, network_id: network, fields: ["missed_since"] },
        ...{ before: { ...alone, missed_since: null }, after: { ...alone, missed_since: since } },
        ...{ actor: expect.objectContaining({ user_id: expect.any(String) }), reconciled: false },
      }),
    ]);
    await importBlock(owner, network, "192.168.1.0/24", [], { services: "1-1000" });
    await importBlock(owner, network, "192.168.1.0/24", [NAS], { services: "1-1000" });
    await importBlock(owner, network, "192.168.1.0/24", [NAS], { services: "1-1000" });
    const [, returned, ...others] = await toldOf(owner, nas.id);
    expect(returned).toMatchObject({
      action: "returned",
      before: { missed_since: since },
      after: { missed_since: null },
    });
    expect(others).toEqual([]);
    await importBlock(owner, network, "192.168.1.0/24", [], { services: "1-1000" });
  });

  it("are told of with their ports and services, to callers who see them, and change nothing but that", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV], { services: "1-1000" });
    const from = await waitForJournal(owner);
    const was = await currentState(owner);
    const request_id = await importAs(owner, network, [{ ...NAS, ports: [22] }]);
    const to = await waitForJournal(owner);
    const told = await owner.call(listChanges, { query: { action: "missed", network_id: network } });
    expect(told.map(({ entity, name }) => `${entity} ${name}`).sort()).toEqual([
      `Host ${TV.ip}`,
      "Port 443/Tcp",
      "Service HTTPS",
    ]);
    for (const one of told) expect(one).toMatchObject({ request_id, actor: { user_id: expect.any(String) } });
    const renamed = told.find(({ entity }) => entity === "Host")!.entity_id;
    await owner.call(patchHost, { params: { id: renamed }, body: { name: "tv" } });
    expect(await owner.restrictedTo([]).call(listChanges, { query: { action: "missed" } })).toEqual([]);
    const diff = await owner.call(diffChanges, { query: { from, to, network_id: network } });
    expect(diff).toMatchObject({ added: [], removed: [], changed: [] });
    const { rows } = await owner.list(listHosts, { query: { as_of: to, network_id: network } });
    for (const host of rows) expect(JSON.parse(was.get(host.id) ?? "")).toMatchObject({ name: host.name });
    // A source has seen what it has seen.
    expect(await owner.raw("post", "/api/v1/changes/revert", { request_id })).toMatchObject({
      data: expect.objectContaining({ restored: 0, updated: 0, removed: 0 }),
    });
    const replay = startReplay(async (path) => owner.raw("get", path));
    await replay.follow();
    expect([replay.faults, await replay.differences()]).toEqual([[], []]);
  });

  it("are gone with what an import made when it is reverted, although they were missed since", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const request_id = await importAs(owner, network, [TV]);
    await importBlock(owner, network, "192.168.1.0/24", []);
    const { status } = await owner.raw("post", "/api/v1/changes/revert", { request_id });
    expect([status, await hostsOf(owner, network)]).toEqual([200, []]);
  });
});

describe("sightings: writes and the past", () => {
  it("survive every write, and cannot be written by clients", async () => {
    const before = await owner.call(getHost, { params: { id: nas.id } });
    const echoed = { ...before, name: "storage", seen: null, missed_since: "2001-01-01T00:00:00.000Z" };
    const after = await owner.call(updateHost, { params: { id: nas.id }, body: echoed });
    expect(after).toMatchObject({ name: "storage", seen: before.seen, missed_since: before.missed_since });
  });

  it("are not part of reads of the past", async () => {
    const query = { as_of: await waitForJournal(owner) };
    const then = await owner.call(getHost, { params: { id: nas.id }, query });
    expect(then).not.toHaveProperty("seen");
    expect(then.ports[0]).not.toHaveProperty("missed_since");
    const { rows } = await owner.list(listServices, { query: { ...query, network_id: network } });
    for (const service of rows) expect(service).not.toHaveProperty("seen");
    for (const filter of ["missed=true", `seen_before=${query.as_of}`]) {
      const { status, code } = await owner.raw("get", `/api/v1/hosts?as_of=${query.as_of}&${filter}`);
      expect([status, code]).toEqual([400, "validation_failed"]);
    }
  });
});

describe("the coverage of a scan", () => {
  it("marks missing entities as missed from then on, until they are found again", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV]);
    const gone = await importBlock(owner, network, "192.168.1.0/24", [NAS]);
    expect(missingIn(gone)).toEqual(["Host 192.168.1.150", "Interface 192.168.1.150"]);
    expect(gone.summary.missing).toEqual({ hosts: 1, interfaces: 1, ports: 0, services: 0, dependencies: 0 });
    expect(gone.covered).toEqual({ addresses: ["192.168.1.0/24"], ports: [] });
    const since = byAddress(await hostsOf(owner, network))[TV.ip]!.missed_since;
    expect(since).toBe(gone.missing[0]!.missed_since);
    const still = await importBlock(owner, network, "192.168.1.0/24", [NAS]);
    expect(still.missing[0]!.missed_since).toBe(since);
    const { nodes } = await owner.call(getTopology, { query: { network_id: network } });
    const missed = nodes.flatMap((node) =>
      "missed_since" in node ? [[node.kind, node.label, node.missed_since]] : [],
    );
    expect(missed).toEqual([["host", TV.ip, since]]);
    const then = await owner.call(getTopology, { query: { network_id: network, as_of: await waitForJournal(owner) } });
    expect(JSON.stringify(then)).not.toContain("missed_since");
    await importBlock(owner, network, "192.168.1.128/25", [TV]);
    expect(byAddress(await hostsOf(owner, network))[TV.ip]).toMatchObject({ missed_since: null });
  });

  it("is the union of its targets: half of a network implies nothing about the other half", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV]);
    expect(missingIn(await importBlock(owner, network, "192.168.1.0/25", []))).toEqual([
      "Host 192.168.1.20",
      "Interface 192.168.1.20",
    ]);
    expect(byAddress(await hostsOf(owner, network))[TV.ip]).toMatchObject({ missed_since: null });
  });

  it.each([
    ["that was truncated", (file: string) => file.slice(0, file.indexOf("<runstats>"))],
    ["with inconsistent totals", (file: string) => file.replace('total="256"', 'total="255"')],
    ["that omits hosts that are up", (file: string) => file.replace('up="0"', 'up="1"')],
    ["that only lists addresses", (file: string) => file.replace("-sS", "-sL")],
    ["with targets from another file", (file: string) => file.replace("-sS", "-iL targets.txt")],
    ["that failed", (file: string) => file.replace('exit="success"', 'exit="error"')],
  ])("is empty in a file %s", async (_what, breakScan) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS]);
    const plan = await importScan(owner, network, breakScan(scanOfBlock("192.168.1.0/24", [])));
    expect([plan.covered.addresses, plan.missing]).toEqual([[], []]);
  });
});

describe("the coverage of a scan: ports, dry runs, other hosts", () => {
  it("includes closed ports, and not filtered ones", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const half: Up = { ...NAS, ports: [22] };
    await importBlock(owner, network, "192.168.1.0/24", [{ ...NAS, ports: [22, 443, 8443] }], { services: "1-10000" });
    expect(missingIn(await importBlock(owner, network, "192.168.1.0/24", [half]))).toEqual([]);
    expect(
      missingIn(
        await importBlock(owner, network, "192.168.1.0/24", [half], { services: "1-1000", others: "filtered" }),
      ),
    ).toEqual([]);
    const closed = await importBlock(owner, network, "192.168.1.0/24", [half], { services: "1-1000" });
    expect(missingIn(closed)).toEqual(["Port 443/tcp", "Service HTTPS"]);
    expect(closed.covered.ports).toEqual(["1-1000/tcp"]);
    await importBlock(owner, network, "192.168.1.0/24", [{ ...NAS, ports: [22, 443] }], { services: "1-1000" });
    expect((await owner.list(listPorts, { query: { network_id: network, missed: true } })).rows).toEqual([]);
  });

  it("is reported by a dry run as it is then recorded, and the dry run records nothing", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV], { services: "1-1000" });
    const file = scanOfBlock("192.168.1.0/24", [{ ...NAS, ports: [22] }], { services: "1-1000" });
    const dry = await importScan(owner, network, file, { dry_run: "true" });
    expect((await owner.list(listHosts, { query: { network_id: network, missed: true } })).rows).toEqual([]);
    const done = await importScan(owner, network, file);
    expect(missingIn(dry)).toEqual(missingIn(done));
    expect(dry.summary.missing).toEqual({ hosts: 1, interfaces: 1, ports: 1, services: 1, dependencies: 0 });
  });

  it("excludes a host that is still found elsewhere, and one that was created since", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, { ...NAS, ip: "192.168.1.200" }]);
    expect(missingIn(await importBlock(owner, network, "192.168.1.0/25", []))).toEqual(["Interface 192.168.1.20"]);
    const rest = await importBlock(owner, network, "192.168.1.128/25", []);
    expect(missingIn(rest)).toEqual(["Host 192.168.1.20", "Interface 192.168.1.200"]);
  });
});

describe("lists", () => {
  it("filter by missed, and by the last sighting before a time, in every order and page, within the caller's networks", async () => {
    const caller = topology.aCaller();
    const { owner, network } = await anEmptyNetwork(caller);
    const other = (await anEmptyNetwork(owner)).network;
    const up = Array.from({ length: 6 }, (_, n) => ({ ip: `192.168.1.${n + 1}` }));
    for (const id of [network, other]) await importBlock(owner, id, "192.168.1.0/24", up);
    const between = new Date(Date.now() + 1).toISOString();
    await until(() => Date.now() > Date.parse(between), 1);
    await importBlock(owner, network, "192.168.1.0/24", up.slice(0, 2));
    const names = async (query: object): Promise<string[]> =>
      (await owner.list(listHosts, { query })).rows.map(({ name }) => name);
    const gone = ["192.168.1.3", "192.168.1.4", "192.168.1.5", "192.168.1.6"];
    expect(await names({ missed: true, order_by: "name" })).toEqual(gone);
    expect(await names({ missed: true, order_by: "name", order_direction: "desc", limit: 0 })).toEqual(
      [...gone].reverse(),
    );
    expect(await names({ missed: true, order_by: "name", limit: 2, offset: 1 })).toEqual(gone.slice(1, 3));
    expect(await names({ missed: false, network_id: network, order_by: "name" })).toEqual([
      "192.168.1.1",
      "192.168.1.2",
    ]);
    expect(await names({ missed: true, network_id: other })).toEqual([]);
    expect(await names({ seen_before: between, network_id: network, order_by: "name" })).toEqual(gone);
    expect(await names({ seen_before: between, missed: true })).toHaveLength(4);
    expect(await names({ seen_before: between, q: "1.4" })).toHaveLength(2);
    expect((await owner.list(listHosts, { query: { missed: true, limit: 1 } })).total).toBe(4);
    const restricted = owner.restrictedTo([other]);
    expect((await restricted.list(listHosts, { query: { missed: true } })).rows).toEqual([]);
    const [first] = (await owner.list(listHosts, { query: { missed: true } })).rows;
    await owner.call(deleteHost, { params: { id: first!.id } });
    expect(await names({ missed: true })).toHaveLength(3);
  });
});

describe("strangers", () => {
  it("are hosts that an import has found, until somebody knows them: one, or several at once", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const mine = await owner.call(createHost, { body: { network_id: network, name: "mine" } });
    expect(mine.is_known).toBe(true);
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV]);
    await sendFile(owner, "csv", { network_id: network }, "name,ip_address\nwritten,192.168.1.99\n", {
      "content-type": "text/csv",
    });
    const strangers = async (query: object = { is_known: false }): Promise<string[]> =>
      (await owner.list(listHosts, { query: { ...query, network_id: network, order_by: "name" } })).rows.map(
        ({ name }) => name,
      );
    expect(await strangers()).toEqual([TV.ip, NAS.ip]);
    expect(await strangers({ is_known: true })).toEqual(["mine", "written"]);
    const before = await waitForJournal(owner);
    const hosts = byAddress(await hostsOf(owner, network));
    const [nas, tv] = [NAS, TV].map(({ ip }) => hosts[ip]!.id) as [string, string];
    const other = { ids: [nas, randomUUID()] };
    expect((await owner.raw("post", "/api/v1/hosts/known", other)).code).toBe("not_found");
    expect((await owner.restrictedTo([]).raw("post", "/api/v1/hosts/known", { ids: [nas] })).code).toBe("not_found");
    expect((await owner.raw("post", "/api/v1/hosts/known", { ids: [] })).code).toBe("validation_failed");
    expect(await strangers()).toEqual([TV.ip, NAS.ip]);
    await owner.call(patchHost, { params: { id: nas }, body: { is_known: true } });
    const done = await owner.call(knowHosts, { body: { ids: [nas, tv, tv] } });
    expect(done).toEqual({ known_count: 1, requested_count: 2 });
    expect(await strangers()).toEqual([]);
    expect(await strangers({ is_known: false, as_of: before })).toEqual([TV.ip, NAS.ip]);
    expect(await strangers({ is_known: true, as_of: before })).toEqual(["mine", "written"]);
    // Nothing that is found again becomes one.
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV]);
    expect(await strangers()).toEqual([]);
    await waitForJournal(owner);
    const [last] = await owner.call(listChanges, { query: { entity_id: tv, order_direction: "desc", limit: 1 } });
    expect(last).toMatchObject({ action: "updated", fields: ["is_known"] });
  });

  it("of earlier builds are known, in lists and in the past", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [TV]);
    const at = await waitForJournal(owner);
    const [{ id }] = (await hostsOf(owner, network)) as [Host];
    const older = [{ $set: { wire: { $replaceOne: { input: "$wire", find: ',"is_known":false', replacement: "" } } } }];
    await topology.db
      .collection<{ _id: string }>("hosts")
      .updateOne({ _id: id }, [...older, { $unset: ["form", "facets"] }]);
    await topology.db.collection("journal").updateMany({ entity_id: id }, [...older, { $unset: "form" }]);
    const now = await owner.call(getHost, { params: { id } });
    expect(now.is_known).toBe(true);
    const then = await owner.call(getHost, { params: { id }, query: { as_of: at } });
    expect(Object.keys(then)).toEqual(Object.keys(withoutSightings(now)));
    const { rows } = await owner.list(listHosts, { query: { is_known: true, network_id: network } });
    expect(rows).toEqual([now]);
    await owner.call(patchHost, { params: { id }, body: { name: "tv" } });
    expect(await topology.db.collection<{ _id: string }>("hosts").findOne({ _id: id })).toMatchObject({
      form: ENTITY_KINDS.hosts.form?.version,
    });
  });
});

describe("the report of stale entities", () => {
  it("contains those missed for a number of days, the longest missed first, of the caller's networks", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const other = (await anEmptyNetwork(owner)).network;
    for (const id of [network, other])
      await importBlock(owner, id, "192.168.1.0/24", [NAS, TV], { services: "1-1000" });
    await importBlock(owner, network, "192.168.1.0/24", [{ ...NAS, ports: [22] }], { services: "1-1000" });
    const gone = await owner.call(reportGone, { query: { days: 0 } });
    expect(gone.counts).toEqual({ hosts: 1, interfaces: 1, ports: 1, services: 1, dependencies: 0 });
    expect(gone.gone.map(({ entity, name }) => `${entity} ${name}`)).toEqual([
      `Host ${TV.ip}`,
      `Interface ${TV.ip}`,
      "Port 443/Tcp",
      "Service HTTPS",
    ]);
    expect(gone.gone[0]!.network_id).toBe(network);
    expect(gone.gone[0]!.seen).toMatchObject({ by: "nmap" });
    expect((await owner.call(reportGone, { query: {} })).counts.hosts).toBe(0);
    expect((await owner.call(reportGone, { query: { days: 0, network_id: other } })).gone).toEqual([]);
    expect((await owner.restrictedTo([other]).call(reportGone, { query: { days: 0 } })).gone).toEqual([]);
    const weeksAgo = Date.now() - 22 * 86_400_000;
    await topology.db.collection("hosts").updateMany({ network_id: network }, { $set: { seen_last: weeksAgo } });
    expect((await owner.call(reportGone, { query: {} })).gone).toHaveLength(1);
  });
});

describe("the report of duplicates", () => {
  const RANDOM_MAC = "02:11:32:AA:BB:CC";
  const VRRP = "00:00:5E:00:01:0A";

  it("has hosts with the same address or name, the strongest evidence first, of the caller's networks", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const other = (await anEmptyNetwork(owner)).network;
    const subnet = (id: string) =>
      owner.call(createSubnet, { body: { network_id: id, cidr: "10.0.0.0/24", name: "LAN", subnet_type: "Lan" } });
    const lan = await subnet(network);
    const lab = await subnet(other);
    const host = (name: string, cards: readonly (readonly [string, string | null])[], more: object = {}) => {
      const own =
        cards[0]?.[0] === "lab" ? { network_id: other, subnet_id: lab.id } : { network_id: network, subnet_id: lan.id };
      const interfaces = cards.map(([ip_address, mac_address]) => ({
        ...{ subnet_id: own.subnet_id, ip_address: ip_address === "lab" ? "10.0.0.2" : ip_address, mac_address },
      }));
      return owner.call(createHost, { body: { network_id: own.network_id, name, interfaces, ...more } });
    };
    const first = await host("nas", [
      ["10.0.0.2", RANDOM_MAC],
      ["10.0.0.3", RANDOM_MAC],
      ["10.0.0.4", VRRP],
    ]);
    const second = await host("NAS", [["10.0.0.5", RANDOM_MAC]]);
    const third = await host(
      "Büro",
      [
        ["10.0.0.2", null],
        ["10.0.0.6", VRRP],
      ],
      { hostname: "pc.lan" },
    );
    const fourth = await host("BÜRO", [], { hostname: "PC.lan" });
    await host("nas", [["lab", RANDOM_MAC]]);
    const read = async (caller: Caller, query = {}) => caller.call(reportDuplicates, { query });
    const { compared, complete, duplicates } = await read(owner);
    expect([compared, complete]).toEqual([5, true]);
    expect(duplicates.map(({ same, value, hosts }) => [same, value, hosts.map(({ id }) => id)])).toEqual([
      ["mac_address", RANDOM_MAC, [first.id, second.id]],
      ["ip_address", "10.0.0.2", [first.id, third.id]],
      ["hostname", "pc.lan", [third.id, fourth.id]],
    ]);
    expect(duplicates[0]?.hosts[0]).toEqual({
      ...{ id: first.id, name: "nas", hostname: null, addresses: ["10.0.0.2", "10.0.0.3", "10.0.0.4"] },
    });
    for (const seen of [await read(owner, { network_id: other }), await read(owner.restrictedTo([other]))])
      expect([seen.compared, seen.duplicates]).toEqual([1, []]);
    const merged = await owner.call(mergeHosts, { params: { id: first.id }, body: { host_id: second.id } });
    const [card] = merged.interfaces.filter(({ ip_address }) => ip_address === "10.0.0.5");
    await owner.call(splitHost, { params: { id: first.id }, body: { interface_ids: [card!.id], name: "repeater" } });
    expect((await read(owner)).duplicates.map(({ same }) => same)).toEqual(["ip_address", "hostname"]);
  });

  it("has hosts with one serial number or machine id, but no copies of an image", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const table = async (...rows: readonly string[]): Promise<void> => {
      const file = ["Hostname,IP Address,MAC Address,Serial Number,Machine ID", ...rows, ""].join("\n");
      const type = { "content-type": "text/csv" };
      const { status } = await owner.raw("post", `/api/v1/imports/csv?network_id=${network}`, file, type);
      expect(status).toBe(200);
    };
    await table(
      "laptop,10.0.0.2,3C:22:FB:00:00:01,PF-3ABC12,",
      "web-1,10.0.0.3,3C:22:FB:00:00:02,,5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f",
      "one,10.0.0.4,3C:22:FB:00:00:03,To be filled by O.E.M.,",
    );
    await table(
      "dock,10.0.0.5,3C:22:FB:00:00:04,pf3abc12,",
      "web-2,10.0.0.6,3C:22:FB:00:00:05,,5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f",
      "two,10.0.0.7,3C:22:FB:00:00:06,To be filled by O.E.M.,",
    );
    const read = async () => (await owner.call(reportDuplicates, { query: {} })).duplicates;
    expect((await read()).map(({ same, value, hosts }) => [same, value, hosts.map(({ name }) => name)])).toEqual([
      ["serial", "PF-3ABC12", ["laptop", "dock"]],
    ]);
    await table("web-1,10.0.0.8,3C:22:FB:00:00:07,,5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f");
    expect((await read()).map(({ same }) => same)).toEqual(["serial"]);
  });
});

describe("files of other formats", () => {
  const sockets = (...lines: readonly string[]): string =>
    ["# ss -H -tulnp\n", ...lines.map((line) => `tcp LISTEN 0 128 ${line} 0.0.0.0:*\n`)].join("");
  const send = async (owner: Caller, network: string, format: string, file: string): Promise<ImportPlan> => {
    const query =
      format === "ss" || format === "docker" ? `network_id=${network}&hostname=nas` : `network_id=${network}`;
    const type = { "content-type": "application/octet-stream" };
    const { status, data, text } = await owner.raw("post", `/api/v1/imports/${format}?${query}`, file, type);
    expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
    return data as ImportPlan;
  };

  it("by ss cover all sockets of their machine: closed ones are missed, and unreported kinds are not", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await send(owner, network, "ss", sockets("0.0.0.0:22", "0.0.0.0:443", "0.0.0.0:5432"));
    const [host] = await hostsOf(owner, network);
    await owner.call(createPort, { body: { host_id: host!.id, network_id: network, number: 53, protocol: "Udp" } });
    const plan = await send(owner, network, "ss", sockets("0.0.0.0:22", "127.0.0.1:5432"));
    expect(missingIn(plan)).toEqual(["Port 443/tcp", "Port 5432/tcp", "Service HTTPS", "Service PostgreSQL"]);
    expect(plan.covered).toEqual({ addresses: [], ports: ["1-65535/tcp"] });
    const broken = await send(owner, network, "ss", `${sockets("0.0.0.0:443")}what is this\n`);
    expect(broken.missing).toEqual([]);
    const filtered = sockets("0.0.0.0:443").split("\n").slice(1).join("\n");
    expect((await send(owner, network, "ss", filtered)).missing).toEqual([]);
  });

  it("by ss and scans cover different things, and neither misses what the other has found", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await send(owner, network, "ss", sockets("192.168.1.20:22", "192.168.1.20:5432"));
    // A firewall hides the database from the scanner, which finds a port that the kernel forwards.
    const scan = await importBlock(owner, network, "192.168.1.0/24", [{ ...NAS, ports: [22, 443] }], {
      services: "1-10000",
    });
    expect(scan.missing).toEqual([]);
    expect((await send(owner, network, "ss", sockets("192.168.1.20:22", "192.168.1.20:5432"))).missing).toEqual([]);
    expect(missingIn(await send(owner, network, "ss", sockets("192.168.1.20:22")))).toEqual([
      "Port 5432/tcp",
      "Service PostgreSQL",
    ]);
  });

  it("by proxmox cover stopped guests, at their configured addresses", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const config = {
      digest: "a".repeat(40),
      hostname: "web",
      net0: "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=192.168.1.70/24",
    };
    const files = (status: string): string =>
      [[{ id: "lxc/101", type: "lxc", name: "web", status }], config].map((one) => JSON.stringify(one)).join("\n");
    await send(owner, network, "proxmox", files("running"));
    expect(await hostsOf(owner, network)).toMatchObject([{ name: "web", seen: { by: "proxmox" }, missed_since: null }]);
    expect(missingIn(await send(owner, network, "proxmox", files("stopped")))).toEqual([
      "Host web",
      "Interface 192.168.1.70",
    ]);
    expect(missingIn(await send(owner, network, "proxmox", files("running")))).toEqual([]);
  });

  it("with neighbours and leases report who is there, never who is missing; tables report neither", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importBlock(owner, network, "192.168.1.0/24", [NAS, TV]);
    const [before] = (await hostsOf(owner, network)).filter(({ name }) => name === NAS.ip);
    const neighbours = `192.168.1.20 dev eth0 lladdr ${NAS.mac!.toLowerCase()} REACHABLE\n`;
    expect((await send(owner, network, "ip-neigh", neighbours)).missing).toEqual([]);
    const hosts = byAddress(await hostsOf(owner, network));
    expect(before!.seen).not.toHaveProperty("recognized_by");
    const seen = { first_at: before!.seen!.first_at, by: "ip-neigh", recognized_by: "mac_address" };
    expect(hosts[NAS.ip]!.seen).toMatchObject(seen);
    expect(hosts[TV.ip]).toMatchObject({ missed_since: null });
    const table = await send(owner, network, "csv", "name,ip_address\nwritten,192.168.1.99\n");
    expect([table.missing, table.covered]).toEqual([[], { addresses: [], ports: [] }]);
    expect(byAddress(await hostsOf(owner, network))["192.168.1.99"]).toMatchObject({ seen: null, missed_since: null });
  });
});
