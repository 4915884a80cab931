/** Imports of scans: what they make, what they recognize, and what they never touch. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createSubnet,
  deletePort,
  deleteService,
  getHost,
  type ImportPlan,
  listServices,
  listSubnets,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { anEmptyNetwork, hostsIn, hostsOf, importScan, scanFile, scanOf, upHost } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { startTopology, type Caller, type Topology } from "../support/topology.js";
import { aNetwork, echoOf } from "../support/topology-world.js";

const MAC = "02:00:00:00:00:0A";
const OTHER_MAC = "02:00:00:00:00:0B";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db.client, topology.db.databaseName)).toEqual([]);
  await topology.stop();
});

/** Everything in the database, for comparing. */
async function everything(): Promise<string> {
  const names = ["networks", "subnets", "hosts", "interfaces", "ports", "services", "bindings", "guards"];
  const read = names.map((name) => topology.db.collection(name).find().sort({ _id: 1 }).toArray());
  return JSON.stringify(await Promise.all(read));
}

/** A plan without what a dry run cannot know. */
const withoutIds = (plan: ImportPlan): unknown =>
  JSON.parse(JSON.stringify({ ...plan, dry_run: null }), (name, value: unknown) => (name === "id" ? null : value));

describe("the scan of an office", () => {
  let owner: Caller;
  let network: string;
  let dry: ImportPlan;
  let done: ImportPlan;
  beforeAll(async () => {
    ({ owner, network } = await anEmptyNetwork(topology.aCaller()));
    const before = await everything();
    dry = await importScan(owner, network, scanFile("office"), { dry_run: "true" });
    expect(await everything()).toBe(before);
    done = await importScan(owner, network, scanFile("office"));
  });

  it("is planned as it is then imported", () => {
    expect(dry.dry_run).toBe(true);
    expect(done.dry_run).toBe(false);
    expect(withoutIds(dry)).toEqual(withoutIds(done));
    expect(JSON.stringify(dry.hosts.map(({ id, interfaces }) => [id, ...interfaces.map((one) => one.id)]))).not.toMatch(
      /"/,
    );
  });

  it("becomes hosts with interfaces, ports and services, guessed as well as the scan allows", () => {
    expect(hostsIn(done)).toEqual([
      "create router.office.example 192.168.10.1: 22/Tcp 53/Tcp 53/Udp MikroTik RouterOS sshd DNS",
      "create nas.office.example 192.168.10.20 192.168.10.21: 22/Tcp 80/Tcp 139/Tcp 443/Tcp 445/Tcp 5001/Tcp 32400/Tcp 49152/Tcp OpenSSH nginx Samba smbd HTTPS Plex",
      "create 192.168.10.30 192.168.10.30 fd00:10::30: 631/Tcp 9100/Tcp IPP Printer HP JetDirect",
    ]); // prettier-ignore
    const guesses = done.hosts.flatMap(({ services }) =>
      services.map((one) => [one.service_definition, one.guessed_from]),
    );
    expect(guesses).toEqual([
      ["MikroTik RouterOS", "product"],
      ["DNS", "service_name"],
      ["SSH", "product"],
      ["nginx", "product"],
      ["Samba", "product"],
      ["HTTPS", "service_name"],
      ["Plex", "port"],
      ["IPP Printer", "service_name"],
      ["HP JetDirect", "service_name"],
    ]);
    expect(done.summary).toEqual({
      subnets: { create: 2, existing: 0, failed: 0 },
      hosts: { create: 3, update: 0, unchanged: 0, failed: 0 },
      interfaces: { create: 5, update: 0, unchanged: 0 },
      ports: { create: 13, unchanged: 0 },
      services: { create: 9, update: 0, unchanged: 0 },
      skipped: 9,
    });
  });

  it("stands in the network as it was answered, with its source", async () => {
    const hosts = await hostsOf(owner, network);
    expect(hosts.map(({ name }) => name)).toEqual(["192.168.10.30", "nas.office.example", "router.office.example"]);
    const nas = hosts[1]!;
    expect(nas).toMatchObject({
      hostname: "nas.office.example",
      description: "Synology Incorporated",
      source: { type: "Discovery" },
    });
    expect(nas.interfaces.map(({ mac_address }) => mac_address)).toEqual(["00:11:32:AA:BB:CC", "00:11:32:AA:BB:CC"]);
    const planned = done.hosts.find(({ id }) => id === nas.id)!;
    expect(planned.services.map(({ id }) => id)).toEqual(nas.services.map(({ id }) => id));
    const [ssh] = nas.services;
    const port = nas.ports.find(({ number }) => number === 22)!;
    expect(ssh!.source).toEqual({ type: "Discovery" });
    expect(ssh!.bindings.map((one) => [one.type, "port_id" in one && one.port_id, one.interface_id])).toEqual(
      nas.interfaces.map(({ id }) => ["Port", port.id, id]),
    );
    const { rows: subnets } = await owner.list(listSubnets, { query: { network_id: network, order_by: "cidr" } });
    expect(subnets.map(({ cidr, name, source }) => [cidr, name, source.type])).toEqual([
      ["192.168.10.0/24", "192.168.10.0/24", "Discovery"],
      ["fd00:10::/64", "fd00:10::/64", "Discovery"],
    ]);
  });

  it("changes nothing when it is imported again, not one document", async () => {
    const before = await everything();
    const again = await importScan(owner, network, scanFile("office"));
    expect(await everything()).toBe(before);
    expect(again.hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual(
      Array(3).fill(["unchanged", "mac_address"]),
    );
    expect(again.hosts.map(({ id }) => id)).toEqual(done.hosts.map(({ id }) => id));
    expect(again.summary).toEqual({
      subnets: { create: 0, existing: 2, failed: 0 },
      hosts: { create: 0, update: 0, unchanged: 3, failed: 0 },
      interfaces: { create: 0, update: 0, unchanged: 5 },
      ports: { create: 0, unchanged: 13 },
      services: { create: 0, update: 0, unchanged: 9 },
      skipped: 9,
    });
  });
});

describe("scans by other means", () => {
  it.each([
    ["ping", ["create localhost 127.0.0.1:", "create 127.0.0.2 127.0.0.2:"]],
    ["version", ["create localhost 127.0.0.1: 2222/Tcp 8081/Tcp OpenSSH nginx", "create 127.0.0.2 127.0.0.2: 6379/Tcp Redis key-value store"]],
    ["ipv6", ["create ::1 ::1: 8081/Tcp nginx"]],
    ["udp", ["create localhost 127.0.0.1:"]],
    ["masscan", ["create 10.9.0.5 10.9.0.5: 22/Tcp 443/Tcp SSH HTTPS", "create 10.9.0.6 10.9.0.6: 22/Tcp SSH"]],
  ])("%s", async (name, hosts) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    expect(hostsIn(await importScan(owner, network, scanFile(name)))).toEqual(hosts);
    const again = await importScan(owner, network, scanFile(name));
    expect(again.summary.hosts).toEqual({ create: 0, update: 0, unchanged: hosts.length, failed: 0 });
  }); // prettier-ignore

  it("one after another add up on the hosts that they share", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanFile("ping"));
    const { hosts } = await importScan(owner, network, scanFile("version"));
    expect(hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual(
      Array(2).fill(["update", "ip_address"]),
    );
    expect((await hostsOf(owner, network)).length).toBe(2);
  });

  it("that were cut off give what was complete, and say where they end", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = scanFile("office");
    const cut = file.slice(0, file.indexOf("jetdirect"));
    const plan = await importScan(owner, network, cut);
    const lines = cut.split("\n");
    const reason = "the file ends inside of <service>";
    expect(plan.complete).toBe(false);
    expect(plan.broke_off).toEqual({ line: lines.length, column: lines.at(-1)!.length + 1, reason });
    expect(plan.hosts.map(({ name }) => name)).toEqual(["router.office.example", "nas.office.example"]);
    expect(plan.skipped.at(-1)).toEqual({ line: 69, what: "host 192.168.10.30", reason: "the file ends inside of it" });
    expect(plan.summary.skipped).toBe(plan.skipped.length);
  });
});

describe("a host that was there", () => {
  it("is recognized by its MAC address at another address, which it gets beside the old one", async () => {
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

  it("is another one than who has its address with another MAC address", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: MAC })));
    const { hosts } = await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: OTHER_MAC })));
    expect(hosts[0]).toMatchObject({ action: "create", matched_by: null });
    const again = await importScan(owner, network, scanOf(upHost("10.1.0.1", { mac: OTHER_MAC })));
    expect(again.hosts[0]).toMatchObject({ action: "unchanged", matched_by: "mac_address", id: hosts[0]!.id });
  });

  it("is recognized by an address that stands in a wider subnet, and learns name and MAC address", async () => {
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

  it("keeps all that people have made of it", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = scanOf(upHost("10.1.0.1", { hostname: "nas.lan", ports: [22, 80, 443] }));
    await importScan(owner, network, file);
    const [host] = await hostsOf(owner, network);
    const { id, network_id } = host!;
    await owner.call(updateHost, { params: { id }, body: { network_id, name: "My NAS", hostname: "nas", description: "cellar" } });
    const [ssh] = host!.services;
    await owner.call(updateService, { params: ssh!, body: { ...echoOf(ssh!), name: "Login", service_definition: "Gitea", bindings: ssh!.bindings.map((one) => ({ ...one, interface_id: null }) as never) } });
    const before = await everything();
    const { hosts } = await importScan(owner, network, file);
    expect(hosts[0]).toMatchObject({ action: "unchanged", name: "My NAS", hostname: "nas", changes: [] });
    expect(await everything()).toBe(before);
  }); // prettier-ignore

  it("gets back what was deleted and is still there", async () => {
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

  it("is one host for both of its addresses, when a person has put two together", async () => {
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

describe("services in lists", () => {
  it("are found by the category of their guess", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanFile("office"));
    const query = { network_id: network, exclude_categories: ["Custom" as const], order_by: "name" as const };
    const { rows } = await owner.list(listServices, { query });
    expect(rows.map(({ service_definition }) => service_definition)).not.toContain("DNS");
    expect(rows.length).toBe(7);
  });
});
