/** Known hosts in imports: matching, moving, and what is never changed. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createSubnet,
  deletePort,
  deleteService,
  getHost,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { batchesById } from "@nts/shared/mongo/migrations";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import {
  anEmptyNetwork,
  allDocumentsOf,
  WITHOUT_SIGHTINGS,
  hostsIn,
  hostsOf,
  importFile,
  importScan,
  scanOf,
  upHost,
  withoutIds,
} from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, echoOf } from "../support/topology-world.js";

const MAC = "02:00:00:00:00:0A";
const OTHER_MAC = "02:00:00:00:00:0B";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

describe("a known host: its MAC address", () => {
  it("is matched by its MAC address at another address, which is added to the old one", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: MAC })));
    const { hosts } = await importScan(owner, network, scanOf(upHost("10.1.0.9", { mac: MAC })));
    expect(hosts[0]).toMatchObject({ action: "update", matched_by: "mac_address", name: "10.1.0.1" });
    const [host, ...others] = await hostsOf(owner, network);
    expect(others).toEqual([]);
    expect(host!.interfaces.map(({ ip_address, position }) => [ip_address, position])).toEqual([
      ["10.1.0.1", 0],
      ["10.1.0.9", 1],
    ]);
  });

  it("differs from the host that has its address with another MAC address, and gets the address from it", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: MAC, ports: [22] })));
    const [before] = await hostsOf(owner, network);
    const file = scanOf(upHost("10.1.0.1", { mac: OTHER_MAC }));
    const planned = await importScan(owner, network, file, { dry_run: "true" });
    const { hosts, summary } = await importScan(owner, network, file);
    const lost = {
      id: before!.interfaces[0]!.id,
      host_id: before!.id,
      host_name: "10.1.0.1",
      ip_address: "10.1.0.1",
      mac_address: MAC,
    };
    expect(hosts[0]).toMatchObject({ action: "create", matched_by: null, superseded: [lost] });
    expect(planned.hosts[0]!.superseded).toEqual([lost]);
    expect([planned.summary, summary.interfaces.superseded]).toEqual([summary, 1]);
    const after = await owner.call(getHost, { params: before! });
    expect([after.interfaces, after.ports.length, after.services.map(({ bindings }) => bindings)]).toEqual([
      [],
      1,
      [[]],
    ]);
    const again = await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: OTHER_MAC })));
    expect(again.hosts[0]).toMatchObject({ action: "unchanged", matched_by: "mac_address", id: hosts[0]!.id });
  });

  it("is matched by the MAC address of its last address, which another machine has taken", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    // Not random ones, which may be another one of the same machine.
    const own = "7C:2F:80:00:00:0A";
    const other = "7C:2F:80:00:00:0B";
    await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: own, hostname: "nas", ports: [22] })));
    await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: other, hostname: "nas" })));
    const [before] = (await hostsOf(owner, network)).filter(({ interfaces }) => interfaces.length === 0);
    const back = scanOf(upHost("10.1.0.7", { mac: own, ports: [22] }));
    const planned = await importScan(owner, network, back, { dry_run: "true" });
    const done = await importScan(owner, network, back);
    expect(withoutIds(planned)).toEqual(withoutIds(done));
    expect(done.hosts[0]).toMatchObject({ id: before!.id, action: "update", matched_by: "mac_address" });
    const after = await owner.call(getHost, { params: before! });
    expect(after.interfaces.map(({ ip_address, mac_address }) => [ip_address, mac_address])).toEqual([
      ["10.1.0.7", own],
    ]);
    expect(
      await topology.db.collection("hosts").countDocuments({ name: "nas", "lost_macs.0": { $exists: true } }),
    ).toBe(0);
  });
});

describe("a known host: moved or merged", () => {
  it("keeps its ports when it moves and another machine takes its address", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanOf(upHost("10.1.0.5", { mac: MAC, ports: [22] })));
    const moved = scanOf(upHost("10.1.0.6", { mac: MAC, ports: [22] }) + upHost("10.1.0.5", { mac: OTHER_MAC }));
    const planned = await importScan(owner, network, moved, { dry_run: "true" });
    const done = await importScan(owner, network, moved);
    expect(withoutIds(planned)).toEqual(withoutIds(done));
    const [a, b] = done.hosts.map(({ id }) => id);
    const routed = await importScan(owner, network, scanOf(upHost("10.1.0.5", { ports: [80] })));
    expect(routed.hosts.map(({ id, action }) => [id, action])).toEqual([[b, "update"]]);
    const hosts = await hostsOf(owner, network);
    const addressesOf = (id: string | null | undefined): unknown =>
      hosts.find((host) => host.id === id)!.interfaces.map(({ ip_address }) => ip_address);
    expect([addressesOf(a), addressesOf(b)]).toEqual([["10.1.0.6"], ["10.1.0.5"]]);
    expect(hosts.find(({ id }) => id === a)!.services.map(({ bindings }) => bindings.length)).toEqual([1]);
  });

  it("is merged with another when a third sighting connects them, in the preview as in the import", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const joining = upHost("10.1.0.1", { mac: MAC }) + upHost("10.1.0.2", { mac: MAC });
    const file = scanOf(upHost("10.1.0.1", { ports: [22] }) + upHost("10.1.0.2", { ports: [80] }) + joining);
    const planned = await importScan(owner, network, file, { dry_run: "true" });
    const done = await importScan(owner, network, file);
    expect(withoutIds(planned)).toEqual(withoutIds(done));
    expect(hostsIn(done)).toEqual(["create 10.1.0.1 10.1.0.1 10.1.0.2: 22/Tcp 80/Tcp SSH HTTP"]);
    expect((await importScan(owner, network, file)).summary.hosts).toMatchObject({
      create: 0,
      update: 0,
      unchanged: 1,
    });
  });

  it("is matched by an address in a wider subnet, and gets name and MAC address", async () => {
    const { owner, network, subnet } = await aNetwork(topology.aCaller());
    const body = {
      network_id: network.id,
      name: "Printer",
      interfaces: [{ ip_address: "10.0.7.1", subnet_id: subnet.id }],
    };
    const made = await owner.call(createHost, { body });
    await owner.call(createSubnet, { body: { network_id: network.id, cidr: "10.0.7.0/24", name: "Printers" } });
    const file = scanOf(upHost("10.0.7.1", { mac: MAC, hostname: "printer.lan" }));
    const { hosts, subnets } = await importScan(owner, network.id, file);
    expect(subnets.map(({ action, cidr }) => [action, cidr])).toEqual([["existing", "10.0.7.0/24"]]);
    expect(hosts[0]).toMatchObject({
      id: made.id,
      action: "update",
      matched_by: "ip_address",
      name: "Printer",
      interfaces: [{ action: "update", id: made.interfaces[0]!.id, mac_address: MAC, subnet: "10.0.0.0/16" }],
      changes: [
        { path: "hostname", from: null, to: "printer.lan" },
        { path: "interfaces.10.0.7.1.mac_address", from: null, to: MAC },
      ],
    });
    const host = await owner.call(getHost, { params: made });
    expect(host).toMatchObject({ name: "Printer", hostname: "printer.lan", source: { type: "Manual" } });
    expect(host.interfaces[0]).toMatchObject({ mac_address: MAC, subnet_id: subnet.id });
  });
});

describe("a known host: changes by users", () => {
  it("are kept by the next import", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = scanOf(upHost("10.1.0.1", { hostname: "nas.lan", ports: [22, 80, 443] }));
    await importScan(owner, network, file);
    const [host] = await hostsOf(owner, network);
    const { id, network_id } = host!;
    await owner.call(updateHost, {
      params: { id },
      body: { network_id, name: "My NAS", hostname: "nas", description: "cellar" },
    });
    const [ssh] = host!.services;
    await owner.call(updateService, {
      params: ssh!,
      body: {
        ...echoOf(ssh!),
        name: "Login",
        service_definition: "Gitea",
        bindings: ssh!.bindings.map((one) => ({ ...one, interface_id: null }) as never),
      },
    });
    const before = await allDocumentsOf(topology, WITHOUT_SIGHTINGS);
    const { hosts } = await importScan(owner, network, file);
    expect(hosts[0]).toMatchObject({ action: "unchanged", name: "My NAS", hostname: "nas", changes: [] });
    expect(await allDocumentsOf(topology, WITHOUT_SIGHTINGS)).toBe(before);
  });

  it("may be undone by the next import: what was deleted and still exists is created again", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = scanOf(upHost("10.1.0.1", { ports: [22, 443] }));
    await importScan(owner, network, file);
    const [host] = await hostsOf(owner, network);
    await owner.call(deletePort, { params: host!.ports[0]! });
    await owner.call(deleteService, { params: host!.services[1]! });
    const { hosts } = await importScan(owner, network, file);
    expect(hosts[0]!.ports.map(({ action }) => action)).toEqual(["create", "unchanged"]);
    expect(hosts[0]!.services.map(({ action, name }) => `${action} ${name}`)).toEqual(["update SSH", "create HTTPS"]);
  });

  it("may merge two addresses into one host, which stays one", async () => {
    const { owner, network, subnet } = await aNetwork(topology.aCaller());
    const interfaces = ["10.0.0.1", "10.0.0.2"].map((ip_address) => ({ ip_address, subnet_id: subnet.id }));
    const made = await owner.call(createHost, { body: { network_id: network.id, name: "Router", interfaces } });
    const file = scanOf(upHost("10.0.0.1", { ports: [22] }) + upHost("10.0.0.2", { ports: [22] }));
    const planned = await importScan(owner, network.id, file, { dry_run: "true" });
    const { hosts } = await importScan(owner, network.id, file);
    expect(hosts.map(({ id, services }) => [id, services.map(({ bindings }) => bindings.length)])).toEqual([
      [made.id, [2]],
    ]);
    expect(planned.hosts.map(({ ports }) => ports.length)).toEqual([1]);
  });
});

describe("hosts that a scan assumes to be up (-Pn)", () => {
  it("are counted and not created when they did not respond", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const assumed = (ip: string, ports = ""): string =>
      `<host><status state="up" reason="user-set"/><address addr="${ip}" addrtype="ipv4"/><ports>${ports}</ports></host>`;
    const open = '<port protocol="tcp" portid="22"><state state="open"/></port>';
    const closed = '<port protocol="tcp" portid="23"><state state="closed"/></port>';
    const plan = await importScan(
      owner,
      network,
      scanOf(assumed("10.1.0.1", open) + assumed("10.1.0.2") + assumed("10.1.0.3", closed)),
    );
    expect(hostsIn(plan)).toEqual(["create 10.1.0.1 10.1.0.1: 22/Tcp SSH"]);
    expect([plan.summary.hosts.create, plan.summary.unanswered]).toEqual([1, 2]);
  });
});

describe("a known host: its serial number and the like", () => {
  const MACHINE_ID = "9d1c7b5e2f4a4c6e8b0d1f3a5c7e9b2d";
  const DUID = "00:04:9d:1c:7b:5e:2f:4a:4c:6e:8b:0d:1f:3a:5c:7e:9b:2d";

  interface Asset {
    readonly name: string;
    readonly ip: string;
    readonly mac?: string;
    readonly serial?: string;
  }

  const assets = (...rows: Asset[]): string =>
    [
      "hostname,ip,mac,serial",
      ...rows.map(({ name, ip, mac = "", serial = "" }) => [name, ip, mac, serial].join()),
    ].join("\n");

  const facts = (name: string, ip: string, mac: string): string =>
    JSON.stringify({
      ansible_hostname: name,
      ansible_machine_id: MACHINE_ID,
      ansible_interfaces: ["eth0"],
      ansible_eth0: { device: "eth0", macaddress: mac, ipv4: { address: ip } },
    });

  /** Imports a file as previewed: each host, and why it is that one. */
  async function imported(world: { owner: Caller; network: string }, format: string, file: string): Promise<string[]> {
    const { owner, network } = world;
    const planned = await importFile(owner, format, { network_id: network, dry_run: "true" }, file);
    const done = await importFile(owner, format, { network_id: network }, file);
    expect(withoutIds(planned)).toEqual(withoutIds(done));
    return done.hosts.map(({ action, hostname, name, evidence = [] }) =>
      [action, hostname ?? name, ...evidence.map(({ by }) => by)].join(" "),
    );
  }

  it("make the cards of a machine that several files show one host, and its history says so", async () => {
    const world = await anEmptyNetwork(topology.aCaller());
    const { owner, network } = world;
    expect([
      await imported(world, "csv", assets({ name: "server", ip: "10.1.0.5", mac: MAC, serial: "5CG8371KLM" })),
      await imported(world, "csv", assets({ name: "", ip: "10.1.1.5", mac: OTHER_MAC, serial: "5cg8371klm" })),
      await imported(world, "csv", assets({ name: "server", ip: "10.1.2.5", serial: "5CG8371KLM" })),
      await imported(world, "nmap", scanOf(upHost("10.1.0.9", { mac: OTHER_MAC }))),
    ]).toEqual([
      ["create server"],
      ["update server serial"],
      ["update server serial hostname"],
      ["update server mac_address"],
    ]);
    const [host, ...others] = await hostsOf(owner, network);
    expect(others).toEqual([]);
    expect(host).toMatchObject({ observed: { serial: { by: "csv" } }, seen: { recognized_by: "mac_address" } });
    // As stored by earlier builds.
    const { organizationId: organization_id } = owner.scope;
    await topology.db.collection("hosts").updateMany({ organization_id }, { $unset: { marks: 1 } });
    await MIGRATIONS.find(({ name }) => name === "0005-marks")?.up(topology.db, batchesById);
    const moved = assets({ name: "", ip: "10.1.9.9", serial: "5CG8371KLM" });
    expect(await imported(world, "csv", moved)).toEqual(["update server serial"]);
  });

  it("make a laptop one host on Wi-Fi and cable, and copies of its image others", async () => {
    const world = await anEmptyNetwork(topology.aCaller());
    expect([
      await imported(world, "ansible-facts", facts("laptop", "10.1.0.20", "7C:2F:80:00:00:01")),
      await imported(world, "ansible-facts", facts("laptop", "10.1.0.21", "3C:22:FB:00:00:02")),
      await imported(world, "ansible-facts", facts("copy", "10.1.0.22", "7C:2F:80:00:00:03")),
      await imported(world, "ansible-facts", facts("laptop", "10.1.0.23", "52:54:00:00:00:04")),
      await imported(world, "dhcp-leases", `4102444800 7c:2f:80:00:00:05 10.1.0.24 pad ff:00:00:00:01:${DUID}\n`),
      await imported(world, "dhcp-leases", `4102444800 7701 2001:db8::24 * ${DUID}\n`),
    ]).toEqual([
      ["create laptop"],
      ["update laptop machine_id hostname"],
      ["create copy"],
      ["create laptop"],
      ["create pad"],
      ["update pad duid"],
    ]);
    const plan = await importFile(
      world.owner,
      "ansible-facts",
      { network_id: world.network, dry_run: "true" },
      facts("third", "10.1.0.25", "7C:2F:80:00:00:06"),
    );
    expect(plan.skipped.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      `machine id ${MACHINE_ID}: another host has it, whose image this machine may be a copy of: merge the two if they are one machine: laptop, copy, laptop`,
    ]);
  });

  it("tell machines apart that DHCP gives each other's addresses, and new ones from those before", async () => {
    const world = await anEmptyNetwork(topology.aCaller());
    const a = { name: "a", serial: "AAA111222" };
    const b = { name: "b", serial: "BBB333444" };
    await imported(world, "csv", assets({ ...a, ip: "10.1.0.5" }, { ...b, ip: "10.1.0.6" }));
    const swapped = assets({ ...a, ip: "10.1.0.6" }, { ...b, ip: "10.1.0.5" });
    expect(await imported(world, "csv", swapped)).toEqual(["update a serial hostname", "update b serial hostname"]);
    const other = assets({ name: "c", ip: "10.1.0.5", serial: "CCC555666" });
    expect(await imported(world, "csv", other)).toEqual(["create c"]);
    const common = assets({ name: "d", ip: "10.1.0.7", serial: "Default string" });
    const another = assets({ name: "e", ip: "10.1.0.8", serial: "Default string" });
    expect([await imported(world, "csv", common), await imported(world, "csv", another)]).toEqual([
      ["create d"],
      ["create e"],
    ]);
  });
});
