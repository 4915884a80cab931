/** Imports of scans: the resulting entities. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ImportPlan, listServices, listSubnets } from "@nts/shared/contract";
import {
  anEmptyNetwork,
  allDocumentsOf,
  hostsIn,
  hostsOf,
  importScan,
  recordedScan,
  scanFile,
  WITHOUT_SIGHTINGS,
  withoutIds,
} from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { startTopology, type Caller, type Topology } from "../support/topology.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

let owner: Caller;
let network: string;
let dry: ImportPlan;
let done: ImportPlan;

beforeAll(async () => {
  ({ owner, network } = await anEmptyNetwork(topology.aCaller()));
  const before = await allDocumentsOf(topology);
  dry = await importScan(owner, network, scanFile("office"), { dry_run: "true" });
  expect(await allDocumentsOf(topology)).toBe(before);
  done = await importScan(owner, network, scanFile("office"));
});

const NO_DEPENDENCIES = {
  ...{ create: 0, update: 0, unchanged: 0, failed: 0 },
  not_made: { loopback: 0, broadcast: 0, unknown_host: 0, unclear: 0 },
};

describe("the scan of an office", () => {
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
    ]);
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
      interfaces: { create: 5, update: 0, unchanged: 0, superseded: 0 },
      ports: { create: 13, update: 0, unchanged: 0 },
      services: { create: 9, update: 0, unchanged: 0 },
      dependencies: NO_DEPENDENCIES,
      vlans: { create: 0, existing: 0 },
      links: { create: 0, update: 0, unchanged: 0, failed: 0 },
      missing: { hosts: 0, interfaces: 0, ports: 0, services: 0, dependencies: 0 },
      skipped: 12,
      unanswered: 0,
    });
  });
});

describe("the scan of an office, once imported,", () => {
  it("is stored as it was returned, with its source", async () => {
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

  it("changes no document when it is imported again, except for the time of the sighting", async () => {
    const before = await allDocumentsOf(topology, WITHOUT_SIGHTINGS);
    const again = await importScan(owner, network, scanFile("office"));
    expect(await allDocumentsOf(topology, WITHOUT_SIGHTINGS)).toBe(before);
    expect(again.hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual(
      Array(3).fill(["unchanged", "mac_address"]),
    );
    expect(again.hosts.map(({ id }) => id)).toEqual(done.hosts.map(({ id }) => id));
    expect(again.summary).toEqual({
      subnets: { create: 0, existing: 2, failed: 0 },
      hosts: { create: 0, update: 0, unchanged: 3, failed: 0 },
      interfaces: { create: 0, update: 0, unchanged: 5, superseded: 0 },
      ports: { create: 0, update: 0, unchanged: 13 },
      services: { create: 0, update: 0, unchanged: 9 },
      dependencies: NO_DEPENDENCIES,
      vlans: { create: 0, existing: 0 },
      links: { create: 0, update: 0, unchanged: 0, failed: 0 },
      missing: { hosts: 0, interfaces: 0, ports: 0, services: 0, dependencies: 0 },
      skipped: 12,
      unanswered: 0,
    });
  });
});

describe("scans by other means", () => {
  it.each([
    ["ping", ["create lab.example 10.8.0.1:", "create 10.8.0.2 10.8.0.2:"]],
    [
      "version",
      [
        "create lab.example 10.8.0.1: 2222/Tcp 8081/Tcp OpenSSH nginx",
        "create 10.8.0.2 10.8.0.2: 6379/Tcp Redis key-value store",
      ],
    ],
    ["ipv6", ["create fd00:8::1 fd00:8::1: 8081/Tcp nginx"]],
    ["udp", ["create lab.example 10.8.0.1:"]],
    ["masscan", ["create 10.9.0.5 10.9.0.5: 22/Tcp 443/Tcp SSH HTTPS", "create 10.9.0.6 10.9.0.6: 22/Tcp SSH"]],
  ])("%s", async (name, hosts) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    expect(hostsIn(await importScan(owner, network, scanFile(name)))).toEqual(hosts);
    const again = await importScan(owner, network, scanFile(name));
    expect(again.summary.hosts).toEqual({ create: 0, update: 0, unchanged: hosts.length, failed: 0 });
  });

  it("of the own machine make no host, and say why", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const plan = await importScan(owner, network, recordedScan("version"));
    expect(plan.hosts).toEqual([]);
    expect(
      plan.skipped.filter(({ what }) => what.startsWith("address ")).map(({ what, reason }) => [what, reason]),
    ).toEqual(["127.0.0.1", "127.0.0.2"].map((ip) => [`address ${ip}`, "it is not the address of a machine"]));
  });

  it("are merged one after another on the hosts that they share", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanFile("ping"));
    const { hosts } = await importScan(owner, network, scanFile("version"));
    expect(hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual(
      Array(2).fill(["update", "ip_address"]),
    );
    expect((await hostsOf(owner, network)).length).toBe(2);
  });

  it("that were truncated import what was complete, and report where they end", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = scanFile("office");
    const cut = file.slice(0, file.indexOf("jetdirect"));
    const plan = await importScan(owner, network, cut);
    const lines = cut.split("\n");
    const reason = "the file ends inside <service>";
    expect(plan.complete).toBe(false);
    expect(plan.broke_off).toEqual({ line: lines.length, column: lines.at(-1)!.length + 1, reason });
    expect(plan.hosts.map(({ name }) => name)).toEqual(["router.office.example", "nas.office.example"]);
    expect(plan.skipped.at(-1)).toEqual({ line: 69, what: "host 192.168.10.30", reason: "the file ends inside it" });
    expect(plan.summary.skipped).toBe(plan.skipped.length);
  });
});

describe("services in lists", () => {
  it("are found by the category of their guessed definition", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    await importScan(owner, network, scanFile("office"));
    const query = { network_id: network, exclude_categories: ["Custom" as const], order_by: "name" as const };
    const { rows } = await owner.list(listServices, { query });
    expect(rows.map(({ service_definition }) => service_definition)).not.toContain("DNS");
    expect(rows.length).toBe(7);
  });
});
