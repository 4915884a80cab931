/** Imports from other tools than scanners: which machine a file is from, and merging several sources. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import {
  createHost,
  createPort,
  deleteHost,
  getHost,
  type Host,
  listHosts,
  patchHost,
  patchInterface,
} from "@nts/shared/contract";
import {
  anEmptyNetwork,
  hostsIn,
  hostsOf,
  importFile,
  type ImportQuery,
  scanOf,
  sendFile,
  upHost,
  withoutIds,
} from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

const SOCKETS = `
tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=702,fd=3))
tcp LISTEN 0 128 [::]:22 [::]:* users:(("sshd",pid=702,fd=4))
tcp LISTEN 0 511 192.168.1.20:443 0.0.0.0:* users:(("nginx",pid=911,fd=6))
tcp LISTEN 0 244 127.0.0.1:5432 0.0.0.0:* users:(("postgres",pid=801,fd=6))
`;
const NEIGHBOURS = `[{"dst":"192.168.1.20","dev":"eth0","lladdr":"00:11:32:aa:bb:cc","state":["STALE"]}]`;

/** The rejection of a file. */
async function refused(caller: Caller, format: string, query: ImportQuery, file: string): Promise<unknown[]> {
  const { status, code, params } = await sendFile(caller, format, query, file);
  const errors = (params["errors"] ?? [params]) as { path: string; message?: string }[];
  return [status, code, ...errors.map(({ path, message }) => (message === undefined ? path : `${path}: ${message}`))];
}

/** Services with the targets of their bindings. */
function bindingsOf({ services, ports, interfaces }: Host): string[] {
  const portOf = new Map(ports.map(({ id, number }) => [id, number]));
  const ipOf = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  return services.map(({ name, bindings }) =>
    [
      name,
      ...bindings.map((one) =>
        one.type === "Port" ? `${portOf.get(one.port_id)}@${ipOf.get(one.interface_id ?? "") ?? "all"}` : "?",
      ),
    ].join(" "),
  );
}

const EVERYWHERE = `tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=702,fd=3))\n`;
const leaseOf = (name: string, ip: string, mac: string): string => `4102444800 ${mac} ${ip} ${name} *\n`;

/** Orders of four files; the long tier has more. */
const ORDERS = [
  [0, 1, 2, 3],
  [3, 2, 0, 1],
  [2, 0, 3, 1],
  [1, 0, 3, 2],
  [0, 2, 1, 3],
  [0, 3, 1, 2],
  [3, 0, 2, 1],
].slice(0, Number(process.env["IMPORT_ORDERS"] ?? 2));
/** Of concurrent imports. */
const ROUNDS = ORDERS.length;

describe("a machine that reports its name and no address", () => {
  it.each([
    ["nas.home.example", "NAS"],
    ["nas", "nas.home.example"],
  ])("is one host with what a lease, a scan and neighbours report, in any order: %s and %s", async (own, leased) => {
    const mac = "00:11:32:AA:BB:CC";
    const files: readonly (readonly [string, string])[] = [
      ["ss", EVERYWHERE],
      ["dhcp-leases", leaseOf(leased, "192.168.1.20", mac.toLowerCase())],
      ["auto", scanOf(upHost("192.168.1.20", { hostname: leased }))],
      ["ip-neigh", NEIGHBOURS],
    ];
    for (const order of ORDERS) {
      const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
      for (const index of order) {
        const [format, file] = files[index]!;
        const query = { network_id, ...(format === "ss" && { hostname: own }) };
        const preview = await importFile(owner, format, { ...query, dry_run: "true" }, file);
        const done = await importFile(owner, format, query, file);
        expect(withoutIds(done)).toEqual(withoutIds(preview));
        expect((await importFile(owner, format, query, file)).summary.hosts.unchanged).toBe(done.hosts.length);
      }
      const hosts = await hostsOf(owner, network_id);
      expect([
        order,
        hosts.map(({ interfaces }) => interfaces.map((one) => [one.ip_address, one.mac_address])),
      ]).toEqual([order, [[["192.168.1.20", mac]]]]);
      expect(bindingsOf(hosts[0]!)).toEqual(["SSH 22@all"]);
    }
  });

  it("is not merged with the host of its name that has other addresses, nor with one of two with its name", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, EVERYWHERE);
    const two =
      leaseOf("nas", "192.168.1.20", "00:11:32:aa:bb:cc") + leaseOf("nas", "192.168.1.21", "00:11:32:aa:bb:cd");
    const both = await importFile(owner, "dhcp-leases", { network_id, dry_run: "true" }, two);
    expect(both.hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual([
      ["create", null],
      ["create", null],
    ]);
    const one = await importFile(
      owner,
      "dhcp-leases",
      { network_id },
      leaseOf("nas", "192.168.1.20", "00:11:32:aa:bb:cc"),
    );
    expect(one.hosts.map(({ action, matched_by }) => [action, matched_by])).toEqual([["update", null]]);
    const other = await importFile(
      owner,
      "dhcp-leases",
      { network_id },
      leaseOf("nas", "192.168.1.21", "00:11:32:aa:bb:cd"),
    );
    expect(other.hosts.map(({ action }) => action)).toEqual(["create"]);
    const { network: elsewhere } = await anEmptyNetwork(owner);
    const there = await importFile(owner, "ss", { network_id: elsewhere, hostname: "nas" }, EVERYWHERE);
    expect(there.hosts.map(({ action }) => action)).toEqual(["create"]);
  });

  it("is matched when the file has another name as well, which many hosts share and which is therefore ignored", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    for (let n = 0; n < 50; n++)
      await owner.call(createHost, { body: { network_id, name: `n${n}`, hostname: "apps" } });
    await importFile(owner, "ss", { network_id, hostname: "nas" }, EVERYWHERE);
    const two =
      leaseOf("apps", "192.168.1.20", "00:11:32:aa:bb:cc") + leaseOf("nas", "192.168.1.21", "00:11:32:aa:bb:cd");
    const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, two);
    expect(hosts.map(({ action }) => action)).toEqual(["create", "update"]);
  });

  it("is one host when it is imported by name and by lease concurrently", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
      await Promise.all([
        importFile(owner, "ss", { network_id, hostname: "nas.lan" }, EVERYWHERE),
        importFile(owner, "dhcp-leases", { network_id }, leaseOf("nas", "192.168.1.20", "00:11:32:aa:bb:cc")),
      ]);
      expect((await hostsOf(owner, network_id)).length).toBe(1);
    }
  });
});

describe("a machine that reported its name and no address before", () => {
  it("is merged with a host known only by its address, which is deleted, as listed in the plan", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, EVERYWHERE);
    const [named] = await hostsOf(owner, network_id);
    await importFile(owner, "ip-neigh", { network_id }, NEIGHBOURS);
    const other = (await hostsOf(owner, network_id)).find(({ id }) => id !== named!.id);
    const lease = leaseOf("nas", "192.168.1.20", "00:11:32:aa:bb:cc");
    const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, lease);
    const joined = { id: other!.id, name: "192.168.1.20" };
    expect(hosts).toMatchObject([{ action: "update", id: named!.id, joined, superseded: [{ host_id: other!.id }] }]);
    expect((await hostsOf(owner, network_id)).map(({ id }) => id)).toEqual([named!.id]);
    expect((await owner.refusal(getHost, { params: joined }))[0]).toBe(404);
    expect((await owner.list(listHosts, { query: { network_id } })).total).toBe(1);
  });

  it.each<[string, (owner: Caller, host: Host) => Promise<unknown>]>([
    ["described", (owner, host) => owner.call(patchHost, { params: host, body: { description: "in the cellar" } })],
    ["tagged", (owner, host) => owner.call(patchHost, { params: host, body: { tags: ["mine"] } })],
    [
      "given a port",
      (owner, host) =>
        owner.call(createPort, {
          body: { host_id: host.id, network_id: host.network_id, number: 22, protocol: "Tcp" },
        }),
    ],
    [
      "given another address",
      (owner, { network_id }) => importFile(owner, "ip-neigh", { network_id }, NEIGHBOURS.replace(".20", ".21")),
    ],
    [
      "given an interface name",
      (owner, { interfaces: [one] }) => owner.call(patchInterface, { params: one!, body: { name: "eth0" } }),
    ],
  ])("does not change the host of its address when that was %s", async (_what, make) => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, EVERYWHERE);
    await importFile(owner, "ip-neigh", { network_id }, NEIGHBOURS);
    const other = (await hostsOf(owner, network_id)).find(({ interfaces }) => interfaces.length > 0);
    await make(owner, other!);
    const lease = leaseOf("nas", "192.168.1.20", "00:11:32:aa:bb:cc");
    const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, lease);
    expect(hosts).toMatchObject([{ id: other!.id, matched_by: "mac_address", joined: null }]);
    expect(await hostsOf(owner, network_id)).toHaveLength(2);
    // As docs/imports.md says: without the other host, the next import moves the address to the host with the name.
    await owner.call(deleteHost, { params: other! });
    await importFile(owner, "dhcp-leases", { network_id }, lease);
    const [only, ...more] = await hostsOf(owner, network_id);
    expect([more, bindingsOf(only!), only!.interfaces.map((one) => one.ip_address)]).toEqual([
      [],
      ["SSH 22@all"],
      ["192.168.1.20"],
    ]);
  });

  it("is matched by the name that a user has given to the host since", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, EVERYWHERE);
    const [host] = await hostsOf(owner, network_id);
    await owner.call(patchHost, { params: host!, body: { hostname: "files.lan" } });
    const lease = await importFile(
      owner,
      "dhcp-leases",
      { network_id },
      leaseOf("files", "192.168.1.20", "00:11:32:aa:bb:cc"),
    );
    expect(lease.hosts.map(({ id, matched_by }) => [id, matched_by])).toEqual([[host!.id, null]]);
  });
});

describe("the sockets of a machine", () => {
  it("become services of the host named in the request, on all interfaces when they listen on all addresses", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const query = { network_id, hostname: "nas" };
    const preview = await importFile(owner, "auto", { ...query, dry_run: "true" }, SOCKETS);
    expect([preview.format, hostsIn(preview)]).toEqual(["ss", ["create nas 192.168.1.20: 22/Tcp 443/Tcp SSH nginx"]]);
    expect(preview.hosts[0]?.services[0]?.bindings).toEqual([{ ip_address: "*", protocol: "Tcp", number: 22 }]);
    expect(await hostsOf(owner, network_id)).toEqual([]);

    await importFile(owner, "ss", query, SOCKETS);
    const [host] = await hostsOf(owner, network_id);
    expect(bindingsOf(host!)).toEqual(["SSH 22@all", "nginx 443@192.168.1.20"]);
    const byId = await importFile(owner, "ss", { network_id, host_id: host!.id }, SOCKETS);
    expect(byId.hosts.map(({ action, id }) => [action, id])).toEqual([["unchanged", host!.id]]);
    const byName = await importFile(owner, "ss", query, SOCKETS);
    expect(byName.summary.hosts).toEqual({ create: 0, update: 0, unchanged: 1, failed: 0 });
  });

  it("is what containers with addresses of their own run on, also if it is new", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const compose = [
      "services:",
      "  pihole:",
      "    image: pihole/pihole",
      "    networks: { lan: { ipv4_address: 192.168.1.53 } }",
      "networks:",
      "  lan: { driver: macvlan, ipam: { config: [{ subnet: 192.168.1.0/24 }] } }",
    ].join("\n");
    const { hosts } = await importFile(owner, "compose", { network_id, hostname: "box" }, compose);
    const [box] = hosts.filter(({ hostname }) => hostname === "box");
    const [pihole] = (await hostsOf(owner, network_id)).filter(({ id }) => id !== box?.id);
    expect(pihole?.virtualization).toMatchObject({ details: { host_id: box?.id } });
  });

  it("make one host with scans, neighbours and the machine itself, in any order", async () => {
    const scan = scanOf(upHost("192.168.1.20", { mac: "00:11:32:AA:BB:CC", ports: [22, 443] }));
    const files: readonly (readonly [string, string])[] = [
      ["auto", scan],
      ["ip-neigh", NEIGHBOURS],
      ["ss", SOCKETS],
    ];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
      for (const index of order) {
        const [format, file] = files[index]!;
        await importFile(owner, format, { network_id, ...(format === "ss" && { hostname: "nas" }) }, file);
      }
      const hosts = await hostsOf(owner, network_id);
      expect(hosts.map(({ hostname, interfaces }) => [hostname, interfaces.map((one) => one.mac_address)])).toEqual([
        ["nas", ["00:11:32:AA:BB:CC"]],
      ]);
      expect(
        bindingsOf(hosts[0]!)
          .map((text) => text.replace(/^\S+ /, ""))
          .sort(),
      ).toEqual(["22@all", "443@192.168.1.20"]);
    }
  });

  it("make one host, also when two imports run concurrently", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const wildcard = 'tcp LISTEN 0 128 *:22 *:* users:(("sshd",pid=1,fd=3))\n';
    const responses = await Promise.all(
      Array.from({ length: 2 }, () => sendFile(owner, "ss", { network_id, hostname: "twin" }, wildcard)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await hostsOf(owner, network_id)).map(({ hostname, services }) => [hostname, services.length])).toEqual([
      ["twin", 1],
    ]);
  });

  it("are rejected when the machine is not specified, or does not exist", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const { owner: stranger, network: foreign } = await anEmptyNetwork(topology.aCaller());
    const host = (caller: Caller, network: string): Promise<Host> =>
      caller.call(createHost, { body: { network_id: network, name: "a", hostname: "a" } });
    const theirs = await host(stranger, foreign);
    await host(owner, network_id);
    await host(owner, network_id);
    const cases: readonly (readonly [string, ImportQuery, unknown[]])[] = [
      [
        "ss",
        {},
        [
          400,
          "validation_failed",
          "hostname: is required unless host_id is given: the file does not identify its machine",
        ],
      ],
      ["ss", { host_id: randomUUID() }, [400, "invalid_reference", "host_id"]],
      ["ss", { host_id: theirs.id }, [400, "invalid_reference", "host_id"]],
      [
        "ss",
        { host_id: theirs.id, hostname: "a" },
        [400, "validation_failed", "hostname: cannot be combined with host_id"],
      ],
      ["ss", { hostname: "a" }, [400, "validation_failed", "hostname: is the name of several hosts; specify host_id"]],
      [
        "ip-neigh",
        { hostname: "b" },
        [400, "validation_failed", "hostname: is not supported for files of the format ip-neigh"],
      ],
    ];
    for (const [format, query, expected] of cases)
      expect(await refused(owner, format, { network_id, ...query }, SOCKETS)).toEqual(expected);
    expect((await owner.list(listHosts, { query: { network_id } })).rows.length).toBe(2);
  });
});

describe("tables and facts", () => {
  it("make one host with the machine's own reports, with services as in the table", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const table =
      "name,ip_address,port,service_definition,all_interfaces\nShares,192.168.1.20,445,SMB,yes\nDoors,192.168.1.20,8096,Our own,\n";
    const facts = `nas | SUCCESS => {"ansible_facts":{"ansible_fqdn":"nas","ansible_eth0":{"device":"eth0","macaddress":"00:11:32:aa:bb:cc","ipv4":{"address":"192.168.1.20"}}}}`;
    const read = await importFile(owner, "auto", { network_id }, facts);
    expect([read.format, hostsIn(read)]).toEqual(["ansible-facts", ["create nas 192.168.1.20:"]]);
    const rows = await importFile(owner, "auto", { network_id, resource: "services" }, table);
    expect([rows.format, rows.summary.hosts]).toEqual(["csv", { create: 0, update: 1, unchanged: 0, failed: 0 }]);
    const hosts = await hostsOf(owner, network_id);
    expect(hosts.map(({ hostname }) => hostname)).toEqual(["nas"]);
    expect(bindingsOf(hosts[0]!)).toEqual(["Shares 445@all", "Doors 8096@192.168.1.20"]);
    expect(hosts[0]!.services.map((one) => one.service_definition)).toEqual(["SMB", "Our own"]);
    const again = await importFile(owner, "csv", { network_id }, table);
    expect(again.summary.hosts).toEqual({ create: 0, update: 0, unchanged: 1, failed: 0 });
    const fault = [400, "validation_failed", "resource: is not supported for files of the format ip-neigh"];
    expect(await refused(owner, "ip-neigh", { network_id, resource: "hosts" }, NEIGHBOURS)).toEqual(fault);
  });
});

describe("a file of another kind", () => {
  it.each([
    ["auto", "", "line 1, column 1: the file is empty"],
    [
      "auto",
      "hello",
      /^line 1, column 1: We don't recognize this file\. Supported: nmap, .*, csv\. If it is one of these, select its format\. A table begins with a line of headings, such as ip_address and hostname; /,
    ],
    ["ss", "hello", "line 1, column 1: must be a socket as printed by `ss -H -tulnp`"],
    ["ip-neigh", `[{"dst":"10.0.0.1"},`, "line 1, column 21: is not valid JSON, or ends early"],
    ["ip-neigh", `[{"dst":"10.0.0.1"},7]`, "$[1]: must be an object"],
    ["ip-neigh", "hello", "line 1, column 1: must be neighbours as printed by `ip -j neigh` or `arp -an`"],
  ])("is rejected with the place and the reason: %s of %j", async (format, file, fault) => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const [status, code, reason] = await refused(
      owner,
      format,
      { network_id, ...(format === "ss" && { hostname: "a" }) },
      file,
    );
    expect([status, code]).toEqual([400, "validation_failed"]);
    expect(reason).toEqual(fault instanceof RegExp ? expect.stringMatching(fault) : fault);
  });

  it("is rejected when there is no such format", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    expect((await refused(owner, "xls", { network_id }, "")).slice(0, 2)).toEqual([400, "validation_failed"]);
  });
});
