/** Journal entries of imports that merge two hosts or find other versions, and reverting them. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createService,
  deleteService,
  getHost,
  getService,
  HISTORIES,
  type Host,
  listChanges,
  listHosts,
  listInterfaces,
  listServices,
  patchHost,
  type QueryInputOf,
  reportCertificates,
} from "@nts/shared/contract";
import { anEmptyNetwork, hostsOf, importFile } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { waitForJournal, currentState } from "../support/moments.js";
import { withRequestId, expectReplayEqualsLists, revert, withoutTimes } from "../support/reverts.js";
import { versionedScan } from "../support/versioned-scan.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

/** Without the tags that mark the position of the journal. */
async function inventory(owner: Caller): Promise<[string, string][]> {
  return withoutTimes(await currentState(owner)).filter(([, text]) => !text.includes('"name":"mark '));
}

describe("an import that merges two hosts", () => {
  const SOCKETS = `tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=702,fd=3))\n`;
  const NEIGHBOURS = `[{"dst":"192.168.1.20","dev":"eth0","lladdr":"00:11:32:aa:bb:cc","state":["STALE"]}]`;
  const LEASE = "4102444800 00:11:32:aa:bb:cc 192.168.1.20 nas *\n";

  it("is recorded entity by entity under its request; after a revert both exist again, and the next import keeps them", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, SOCKETS);
    await importFile(owner, "ip-neigh", { network_id }, NEIGHBOURS);
    const [bare, named] = await hostsOf(owner, network_id);
    const before = await inventory(owner);
    const request = await withRequestId(async (headers) => {
      const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, LEASE, headers);
      expect(hosts).toMatchObject([{ id: named!.id, joined: { id: bare!.id } }]);
    });
    await waitForJournal(owner);
    const changes = await owner.call(listChanges, { query: { request_id: request } });
    const nameOf = (id: string | null): string => (id === bare!.id ? "bare" : id === named!.id ? "named" : "?");
    expect(changes.map(({ action, entity, host_id }) => `${action} ${entity} of ${nameOf(host_id)}`).sort()).toEqual([
      "created Interface of named",
      "deleted Host of bare",
      "deleted Interface of bare",
    ]);
    expect(changes.every(({ actor }) => actor?.user_id !== undefined)).toBe(true);
    const historyOf = async (params: { id: string }) =>
      (await owner.call(HISTORIES.Host, { params, query: {} })).map(({ action, entity }) => `${action} ${entity}`);
    const life = ["created Host", "created Interface"];
    expect((await historyOf(bare!)).sort()).toEqual([...life, "deleted Host", "deleted Interface"]);
    await expectReplayEqualsLists(owner);

    expect((await revert(owner, request)).data).toMatchObject({ restored: 2, removed: 1 });
    expect(await inventory(owner)).toEqual(before);
    await waitForJournal(owner);
    expect((await historyOf(bare!)).sort()).toEqual([...life, ...life, "deleted Host", "deleted Interface"].sort());
    await expectReplayEqualsLists(owner);
    const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, LEASE);
    expect(hosts).toMatchObject([{ id: bare!.id, joined: null }]);
    expect(await hostsOf(owner, network_id)).toHaveLength(2);
  });
});

describe("what a guest runs on", () => {
  it("is its node, also if that is new with it; another node is a change, which a revert takes back", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const cluster = (node: string): string => `[{"id":"node/pve1","type":"node","name":"pve1","ip":"10.9.0.1"},
      {"id":"node/pve2","type":"node","name":"pve2","ip":"10.9.0.2"}]
      [{"id":"qemu/7","type":"qemu","name":"web","node":"${node}","status":"running","vmid":7}]
      {"name":"web","net0":"virtio=BC:24:11:00:00:77,bridge=vmbr0","ipconfig0":"ip=10.9.0.7/24","digest":"${"a".repeat(40)}"}`;
    await importFile(owner, "auto", { network_id }, cluster("pve1"));
    const byName = new Map((await hostsOf(owner, network_id)).map((host) => [host.name, host]));
    const on = (node: string) => ({
      type: "Proxmox VE",
      details: { host_id: byName.get(node)?.id, node, kind: "qemu", guest: 7 },
    });
    const web = byName.get("web") as Host;
    expect(web.virtualization).toEqual(on("pve1"));
    const request = await withRequestId(async (headers) => {
      const moved = await importFile(owner, "auto", { network_id }, cluster("pve2"), headers);
      expect(moved.hosts.flatMap(({ changes }) => changes)).toEqual([
        { path: "virtualization", from: "Proxmox VE on pve1", to: "Proxmox VE on pve2" },
      ]);
    });
    expect((await owner.call(getHost, { params: web })).virtualization).toEqual(on("pve2"));
    await waitForJournal(owner);
    await revert(owner, request);
    expect((await owner.call(getHost, { params: web })).virtualization).toEqual(on("pve1"));
  });
});

describe("what a scan says", () => {
  const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 19);
  const FIRST = { nginx: "1.18.0", ssh: "8.2p1", certificateEnds: "2020-06-01T12:00:00" };
  const LATER = { nginx: "1.26.0", ssh: "9.9p1", certificateEnds: IN_A_YEAR };
  const said = (value: unknown): object => ({ value, by: "nmap", since: expect.any(String) });
  const ported = ({ ports }: Host, number: number) => ports.find((port) => port.number === number);
  const called = ({ services }: Host, name: string) => services.find((service) => service.name === name);

  it("is kept on host, ports and services; only another value is a change, which has its entry and can be reverted", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const preview = await importFile(owner, "auto", { network_id, dry_run: "true" }, versionedScan(FIRST));
    for (const unkept of ["ssh-hostkey", "further matches of operating systems"])
      expect(preview.skipped.filter(({ what }) => what.includes(unkept))).toHaveLength(1);
    await importFile(owner, "auto", { network_id }, versionedScan(FIRST));
    const [made] = (await hostsOf(owner, network_id)) as [Host];
    expect(made.observed).toMatchObject({
      os: { name: "Linux 4.15 - 5.19", version: "5.X", cpe: "cpe:/o:linux:linux_kernel:5", accuracy: 96, by: "nmap" },
      vendor: said("Synology Incorporated"),
      model: null,
      role: said("Nas"),
    });
    expect(made.interfaces[0]?.observed).toEqual({ vendor: said("Synology Incorporated") });
    const secure = ported(made, 443);
    expect(secure?.observed?.title).toEqual(said("Photos"));
    expect(secure?.observed?.certificate).toMatchObject({
      subject: "web.example",
      issuer: "R11",
      names: ["web.example", "www.web.example", "10.3.0.5"],
      not_before: "2026-01-01T00:00:00.000Z",
      not_after: "2020-06-01T12:00:00.000Z",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(called(made, "nginx")?.observed).toEqual({
      product: said("nginx"),
      version: said("1.18.0"),
      cpe: { values: ["cpe:/a:igor_sysoev:nginx:1.18.0"], by: "nmap", since: expect.any(String) },
      confidence: said("probed"),
    });
    expect(
      made.services.find(({ bindings }) =>
        bindings.some((one) => one.type === "Port" && one.port_id === ported(made, 631)?.id),
      )?.observed?.confidence,
    ).toEqual(said("port"));

    const entered = { host_id: made.id, network_id, name: "Printing", service_definition: "CUPS", bindings: [] };
    const printing = await owner.call(createService, {
      body: { ...entered, bindings: [{ type: "Port", port_id: ported(made, 631)!.id }] },
    });
    await owner.call(deleteService, { params: { id: called(made, "IPP Printer")!.id } });
    const again = await importFile(owner, "auto", { network_id }, versionedScan(FIRST));
    expect(again.summary.hosts).toEqual({ create: 0, update: 0, unchanged: 1, failed: 0 });
    expect((await owner.call(getService, { params: printing })).observed).toBeNull();
    await owner.call(patchHost, { params: made, body: { observed: null, description: "echoed" } as object });
    expect((await owner.call(getHost, { params: made })).observed).toEqual(made.observed);
    // A list of neighbours says nothing of versions.
    await importFile(
      owner,
      "ip-neigh",
      { network_id },
      `[{"dst":"10.3.0.5","dev":"eth0","lladdr":"00:11:32:00:00:05","state":["REACHABLE"]}]`,
    );
    const before = await owner.call(getHost, { params: made });
    expect(called(before, "nginx")?.observed).toEqual(called(made, "nginx")?.observed);

    const request = await withRequestId(async (headers) => {
      const { hosts, summary } = await importFile(owner, "auto", { network_id }, versionedScan(LATER), headers);
      expect(summary.ports).toEqual({ create: 0, update: 1, unchanged: before.ports.length - 1 });
      expect(hosts[0]?.changes).toEqual(
        expect.arrayContaining([
          { path: "services.nginx.observed.version", from: "1.18.0", to: "1.26.0" },
          { path: "services.OpenSSH.observed.version", from: "8.2p1", to: "9.9p1" },
        ]),
      );
    });
    const after = await owner.call(getHost, { params: made });
    expect(called(after, "nginx")?.observed).toMatchObject({
      product: called(made, "nginx")?.observed?.product,
      version: said("1.26.0"),
    });
    await waitForJournal(owner);
    const changes = await owner.call(listChanges, { query: { request_id: request } });
    expect(changes.map(({ entity, name, fields }) => `${entity} ${name}: ${fields.join(" ")}`).sort()).toEqual([
      "Port 443/Tcp: observed.certificate",
      "Service OpenSSH: observed.version observed.cpe",
      "Service nginx: observed.version observed.cpe",
    ]);
    await expectReplayEqualsLists(owner);
    const hostsBy = async (query: QueryInputOf<typeof listHosts>) =>
      (await owner.list(listHosts, { query })).rows.map(({ name }) => name);
    for (const q of ["00-11-32-00-00-05", "001132000005", "0011.3200.0005", "10.3.0.0/29", "synology"])
      expect([q, await hostsBy({ q })]).toEqual([q, ["web.example"]]);
    for (const q of ["00-11-32-00-00-06", "10.3.0.0/30"]) expect([q, await hostsBy({ q })]).toEqual([q, []]);
    expect(await hostsBy({ vendor: "SYNOLOGY incorporated", role: ["Nas"] })).toEqual(["web.example"]);
    expect(await hostsBy({ vendor: "Synology" })).toEqual([]);
    const { rows: cards } = await owner.list(listInterfaces, { query: { vendor: "SYNOLOGY incorporated" } });
    expect(cards.map(({ mac_address }) => mac_address)).toEqual(["00:11:32:00:00:05"]);
    expect((await owner.list(listInterfaces, { query: { vendor: "Synology" } })).rows).toEqual([]);
    const servicesBy = async (query: QueryInputOf<typeof listServices>) =>
      (await owner.list(listServices, { query })).rows.map(({ name }) => name);
    expect(await servicesBy({ q: "NGINX 1.26" })).toEqual(["nginx"]);
    expect(await servicesBy({ q: "1.18" })).toEqual([]);
    expect(await servicesBy({ product: "openssh" })).toEqual(["OpenSSH"]);
    const report = async (days: number, caller = owner) => caller.call(reportCertificates, { query: { days } });
    const row = {
      port_id: secure?.id,
      host_id: made.id,
      host_name: "web.example",
      network_id,
      number: 443,
      protocol: "Tcp",
    };
    expect(await report(3_650)).toMatchObject({
      count: 1,
      certificates: [{ ...row, certificate: { subject: "web.example", not_after: `${IN_A_YEAR}.000Z` } }],
    });
    expect(await report(30)).toMatchObject({ count: 0, certificates: [] });
    expect((await topology.aCaller().call(reportCertificates, { query: { days: 3_650 } })).count).toBe(0);
    expect((await revert(owner, request)).status).toBe(200);
    expect((await report(30)).count).toBe(1);
    const reverted = await owner.call(getHost, { params: made });
    expect(called(reverted, "nginx")?.observed).toEqual(called(before, "nginx")?.observed);
    expect(ported(reverted, 443)?.observed).toEqual(ported(before, 443)?.observed);
  });
});
