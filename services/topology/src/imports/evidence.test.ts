import { describe, expect, it } from "@jest/globals";
import { createMemoryNetwork, type MemoryNetwork } from "./testing/network.js";

// Which machine is which, over several files of several sources, and why.

const ONE = "7C:2F:80:00:00:01";
const TWO = "7C:2F:80:00:00:02";
const THREE = "7C:2F:80:00:00:03";
const VIRTUAL = "00:00:5E:00:01:0A";
const RANDOM = "5A:11:22:33:44:55";
const OTHER_RANDOM = "5E:11:22:33:44:66";

type Row = readonly [ip: string, mac: string, name: string];

const imported = (network: MemoryNetwork, rows: readonly Row[]): string[] =>
  texts(network, `ip,mac,hostname\n${rows.map((row) => row.join(",")).join("\n")}\n`);

/** Imports a file: each host, and why it is that one. */
function texts(network: MemoryNetwork, file: string): string[] {
  const plans = network.importFile(file, false);
  return plans.map(({ entity, evidence }) =>
    [`${entity.hostname ?? entity.name}:`, ...evidence.map(({ by, value }) => `${by}=${value}`)].join(" "),
  );
}

type Asset = readonly [name: string, ip: string, mac: string, serial: string];

const assetsOf = (rows: readonly Asset[]): string =>
  ["hostname,ip,mac,serial", ...rows.map((row) => row.join(",")), ""].join("\n");

const assets = (network: MemoryNetwork, rows: readonly Asset[]): string[] => texts(network, assetsOf(rows));

/** Hosts with addresses, in one line each. */
const hostsOf = ({ hosts }: MemoryNetwork): string[] =>
  [...hosts.values()]
    .map(({ host: { entity }, interfaces }) =>
      [entity.hostname ?? entity.name, ...interfaces.map((one) => one.entity.ip_address).sort()].join(" "),
    )
    .sort();

describe("a host is told from others, with the evidence", () => {
  it("by several collectors that overlap", () => {
    const network = createMemoryNetwork();
    expect(
      imported(network, [
        ["10.0.0.5", ONE, "nas"],
        ["10.0.0.6", TWO, "tv"],
      ]),
    ).toEqual(["nas:", "tv:"]);
    expect(
      imported(network, [
        ["10.0.0.5", "", ""],
        ["10.0.0.6", TWO, ""],
      ]),
    ).toEqual(["nas: ip_address=10.0.0.5", `tv: mac_address=${TWO} ip_address=10.0.0.6`]);
    expect(imported(network, [["10.0.0.5", ONE, "nas.lan"]])).toEqual([
      `nas: mac_address=${ONE} hostname=nas.lan ip_address=10.0.0.5`,
    ]);
    expect(hostsOf(network)).toEqual(["nas 10.0.0.5", "tv 10.0.0.6"]);
  });

  it("by what another machine of the file shows, whose address one has by now", () => {
    const network = createMemoryNetwork();
    assets(network, [["server", "10.0.0.30", "", "SN48151623"]]);
    const file = [
      "hostname,ip,mac,serial,machine_id",
      `raspberrypi,10.0.0.30,${ONE},,5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f`,
      `server,10.0.0.10,${TWO},SN48151623,0109b5de09bd114612706cae1b23c816`,
      "",
    ].join("\n");
    expect(texts(network, file)).toEqual(["raspberrypi:", "server: serial=SN48151623 hostname=server"]);
    expect(hostsOf(network)).toEqual(["raspberrypi 10.0.0.30", "server 10.0.0.10"]);
  });

  it("by a card of which only its serial number has told", () => {
    const network = createMemoryNetwork();
    assets(network, [["", "10.0.0.5", ONE, "SN48151623"]]);
    expect(assets(network, [["", "10.0.0.5", TWO, "SN48151623"]])).toEqual(["10.0.0.5: serial=SN48151623"]);
    expect(imported(network, [["10.0.0.5", TWO, ""]])).toEqual([`10.0.0.5: former_mac_address=${TWO}`]);
    expect(imported(network, [["10.0.0.9", ONE, ""]])).toEqual([`10.0.0.5: mac_address=${ONE}`]);
    expect(network.hosts.size).toBe(1);
  });

  it("when DHCP gives their addresses to each other", () => {
    const network = createMemoryNetwork();
    imported(network, [
      ["10.0.0.5", ONE, "nas"],
      ["10.0.0.6", TWO, "tv"],
    ]);
    expect(
      imported(network, [
        ["10.0.0.6", ONE, ""],
        ["10.0.0.5", TWO, ""],
      ]),
    ).toEqual([
      `nas: mac_address=${ONE}`,
      // The first one has taken its address by then.
      `tv: former_mac_address=${TWO}`,
    ]);
    expect(hostsOf(network)).toEqual(["nas 10.0.0.6", "tv 10.0.0.5"]);
  });

  it("by a MAC address that it had before another machine took its address", () => {
    const network = createMemoryNetwork();
    imported(network, [["10.0.0.5", ONE, "nas"]]);
    imported(network, [["10.0.0.5", TWO, "tv"]]);
    expect(imported(network, [["10.0.0.7", ONE, ""]])).toEqual([`nas: former_mac_address=${ONE}`]);
    expect(hostsOf(network)).toEqual(["nas 10.0.0.7", "tv 10.0.0.5"]);
  });

  it("when a virtual address moves between routers, and not by its MAC address, which many networks have", () => {
    const network = createMemoryNetwork();
    imported(network, [
      ["10.0.0.1", VIRTUAL, ""],
      ["10.1.0.1", VIRTUAL, ""],
    ]);
    expect(hostsOf(network)).toEqual(["10.0.0.1 10.0.0.1", "10.1.0.1 10.1.0.1"]);
    for (const [at, other] of [
      [ONE, TWO],
      [TWO, ONE],
    ] as const) {
      imported(network, [
        ["10.0.0.2", at, "a"],
        ["10.0.0.3", other, "b"],
        ["10.0.0.1", VIRTUAL, ""],
      ]);
      imported(network, [
        ["10.0.0.2", ONE, ""],
        ["10.0.0.3", TWO, ""],
      ]);
    }
    expect(hostsOf(network).filter((text) => text.includes("10.0.0.1"))).toEqual(["10.0.0.1 10.0.0.1"]);
    expect(hostsOf(network)).toHaveLength(4);
  });

  it("with three cards, of which a file has several", () => {
    const network = createMemoryNetwork();
    imported(network, [
      ["10.0.0.1", ONE, "server"],
      ["10.1.0.1", TWO, "server"],
    ]);
    const before = hostsOf(network).length;
    const report = "ip,mac,host\n10.0.0.1,7C:2F:80:00:00:01,server\n10.2.0.1,7C:2F:80:00:00:03,server\n";
    const [plan] = network.importFile(report, false);
    expect(plan?.evidence[0]).toEqual({ by: "mac_address", value: ONE });
    expect(imported(network, [["10.2.0.9", THREE, ""]])).toEqual([`server: mac_address=${THREE}`]);
    expect(hostsOf(network)).toHaveLength(before);
  });

  it("by name and address, when its MAC address is random and has changed", () => {
    const network = createMemoryNetwork();
    imported(network, [["10.0.0.9", RANDOM, "phone"]]);
    expect(imported(network, [["10.0.0.9", OTHER_RANDOM, "phone"]])).toEqual(["phone: hostname=phone"]);
    expect(hostsOf(network)).toEqual(["phone 10.0.0.9"]);
    // Another name, or another place, may be another machine.
    imported(network, [["10.0.0.9", "5E:11:22:33:44:77", "tablet"]]);
    expect(hostsOf(network)).toEqual(["phone", "tablet 10.0.0.9"]);
  });

  it("that has another one's name: replaced hardware, or the other card of a laptop, of which the plan says so", () => {
    const network = createMemoryNetwork();
    imported(network, [["10.0.0.30", ONE, "printer"]]);
    expect(imported(network, [["10.0.0.30", TWO, "printer"]])).toEqual(["printer:"]);
    expect(hostsOf(network)).toEqual(["printer", "printer 10.0.0.30"]);
    const laptop = createMemoryNetwork();
    imported(laptop, [["10.0.0.20", ONE, "laptop"]]);
    const [plan] = laptop.importFile(`ip,mac,hostname\n10.0.0.21,${TWO},laptop\n`, false);
    expect([plan?.action, plan?.evidence, plan?.skipped.map(({ what }) => what)]).toEqual([
      "create",
      [],
      ["host name laptop"],
    ]);
  });

  const SERIAL = "5CG8371KLM";
  const MACHINE_ID = "9d1c7b5e2f4a4c6e8b0d1f3a5c7e9b2d";
  const DUID = "00:04:9d:1c:7b:5e:2f:4a:4c:6e:8b:0d:1f:3a:5c:7e:9b:2d";

  it.each([["To Be Filled By O.E.M."], ["0"], ["Default string"], ["None"], ["System Serial Number"]])(
    "not by the serial number %s, which many machines have",
    (serial) => {
      const network = createMemoryNetwork();
      assets(network, [["", "10.0.0.5", ONE, serial]]);
      expect(assets(network, [["", "10.0.0.6", TWO, serial]])).toEqual(["10.0.0.6:"]);
      expect(hostsOf(network)).toEqual(["10.0.0.5 10.0.0.5", "10.0.0.6 10.0.0.6"]);
    },
  );

  it("by its serial number, with three cards in three files", () => {
    const network = createMemoryNetwork();
    assets(network, [["server", "10.0.0.5", ONE, SERIAL]]);
    expect(assets(network, [["", "10.1.0.5", TWO, SERIAL]])).toEqual([`server: serial=${SERIAL}`]);
    expect(assets(network, [["server.lan", "10.2.0.5", THREE, SERIAL.toLowerCase()]])).toEqual([
      `server: serial=${SERIAL.toLowerCase()} hostname=server.lan`,
    ]);
    expect(imported(network, [["10.0.0.9", TWO, ""]])).toEqual([`server: mac_address=${TWO}`]);
    expect(hostsOf(network)).toEqual(["server 10.0.0.5 10.0.0.9 10.1.0.5 10.2.0.5"]);
  });

  it("by its serial number, when DHCP has given its address to another machine, without MAC addresses", () => {
    const network = createMemoryNetwork();
    assets(network, [
      ["a", "10.0.0.5", "", "AAA111222"],
      ["b", "10.0.0.6", "", "BBB333444"],
    ]);
    expect(
      assets(network, [
        ["a", "10.0.0.6", "", "AAA111222"],
        ["b", "10.0.0.5", "", "BBB333444"],
      ]),
    ).toEqual(["a: serial=AAA111222 hostname=a", "b: serial=BBB333444 hostname=b"]);
    expect(assets(network, [["c", "10.0.0.5", "", "CCC555666"]])).toEqual(["c:"]);
    expect(hostsOf(network)).toEqual(["a 10.0.0.6", "b", "c 10.0.0.5"]);
  });

  it("between Wi-Fi and cable, by name and machine id, or by its DUID", () => {
    const facts = (ip: string, mac: string, name: string): string =>
      JSON.stringify({
        ansible_hostname: name,
        ansible_machine_id: MACHINE_ID,
        ansible_interfaces: ["eth0"],
        ansible_eth0: { device: "eth0", macaddress: mac, ipv4: { address: ip } },
      });
    const network = createMemoryNetwork();
    network.importFile(facts("10.0.0.20", ONE, "laptop"), false);
    const [moved] = network.importFile(facts("10.0.0.21", RANDOM, "laptop"), false);
    expect(moved?.evidence).toEqual([
      { by: "machine_id", value: MACHINE_ID },
      { by: "hostname", value: "laptop" },
    ]);
    // A copy of its disk has the same id, but another name, or a virtual card.
    for (const [ip, mac, name] of [
      ["10.0.0.22", TWO, "copy"],
      ["10.0.0.23", "52:54:00:00:00:01", "laptop"],
    ] as const) {
      const [copy] = network.importFile(facts(ip, mac, name), false);
      expect([copy?.action, copy?.skipped.at(-1)?.what]).toEqual(["create", `machine id ${MACHINE_ID}`]);
    }
    const leases = createMemoryNetwork();
    leases.importFile(`4102444800 ${ONE} 10.0.0.20 laptop ff:00:00:00:01:${DUID}\n`, false);
    for (const lease of [
      `4102444800 ${RANDOM} 10.0.0.21 laptop ff:00:00:00:02:${DUID}`,
      `4102444800 7701 2001:db8::20 * ${DUID}`,
    ]) {
      const [plan] = leases.importFile(`${lease}\n`, false);
      expect([plan?.action, plan?.evidence[0]]).toEqual(["update", { by: "duid", value: DUID }]);
    }
    expect(hostsOf(leases)).toEqual(["laptop 10.0.0.20 10.0.0.21 2001:db8::20"]);
  });

  it("not by what copies of an image have at the same time, of which the plan says so", () => {
    const network = createMemoryNetwork();
    const facts = [1, 2].map((n) =>
      JSON.stringify({
        ansible_hostname: "ubuntu",
        ansible_machine_id: MACHINE_ID,
        ansible_interfaces: ["eth0"],
        ansible_eth0: { device: "eth0", macaddress: `52:54:00:00:00:0${n}`, ipv4: { address: `10.0.0.${n}` } },
      }),
    );
    const plans = network.importFile(facts.join("\n"), false);
    expect(plans.map(({ action }) => action)).toEqual(["create", "create"]);
    const again = facts.map((one) => network.importFile(one, false)[0]?.evidence[0]?.by);
    expect(again).toEqual(["mac_address", "mac_address"]);
    expect(network.hosts.size).toBe(2);
  });

  it("when a dock, whose card others use, moves with neither its serial number nor its name", () => {
    const network = createMemoryNetwork();
    assets(network, [
      ["anna", "10.0.0.5", ONE, "ANNA11223"],
      ["bob", "10.0.0.6", TWO, "BOB445566"],
    ]);
    expect(assets(network, [["bob", "10.0.0.5", ONE, "BOB445566"]])).toEqual(["bob: serial=BOB445566 hostname=bob"]);
    expect(assets(network, [["carl", "10.0.0.5", ONE, "CARL77889"]])).toEqual(["carl:"]);
    expect(hostsOf(network)).toEqual(["anna", "bob 10.0.0.6", "carl 10.0.0.5"]);
  });

  it("that was replaced, of which the plan says so", () => {
    const network = createMemoryNetwork();
    assets(network, [["printer", "10.0.0.30", "", "OLD112233"]]);
    const [plan] = network.importFile(assetsOf([["printer", "10.0.0.30", "", "NEW445566"]]), false);
    expect([plan?.action, plan?.skipped.map(({ what, reason }) => `${what}: ${reason}`)]).toEqual([
      "update",
      [
        "serial number NEW445566: it was OLD112233 before: if the machine was replaced, this host is the new one, with the history of the old one",
      ],
    ]);
  });

  it("by the MAC addresses and serial numbers of a list of devices, which has no addresses and makes no hosts", () => {
    const network = createMemoryNetwork();
    imported(network, [["10.0.0.20", ONE, "laptop"]]);
    const list = [
      "Device name,Serial number,Manufacturer,Wi-Fi MAC,Ethernet MAC",
      `Anna's laptop,${SERIAL},HP,${THREE},${ONE}`,
      `Bob's laptop,5CG8371KLN,HP,${TWO},`,
    ];
    const plans = network.importFile(`${list.join("\n")}\n`, false);
    expect(plans.map(({ evidence, sighting }) => [evidence, sighting])).toEqual([
      [[{ by: "mac_address", value: ONE }], null],
    ]);
    expect(hostsOf(network)).toEqual(["laptop 10.0.0.20"]);
    // By its other card, and by its serial number.
    expect(imported(network, [["10.0.0.21", THREE, ""]])).toEqual([`laptop: former_mac_address=${THREE}`]);
    expect(assets(network, [["", "10.0.0.22", "", SERIAL]])).toEqual([`laptop: serial=${SERIAL}`]);
  });

  it("by a MAC address that a source without MAC addresses has merged into it", () => {
    const network = createMemoryNetwork();
    assets(network, [["server", "10.0.0.5", "", SERIAL]]);
    network.importFile(`10.0.0.6 dev eth0 lladdr ${ONE} REACHABLE\n`, false);
    assets(network, [["", "10.0.0.6", "", SERIAL]]);
    expect(imported(network, [["10.0.0.7", ONE, ""]])).toEqual([`server: mac_address=${ONE}`]);
    expect(hostsOf(network)).toEqual(["server 10.0.0.5 10.0.0.6 10.0.0.7"]);
  });

  it("by the request, for files of its own", () => {
    const network = createMemoryNetwork();
    imported(network, [["10.0.0.5", ONE, "nas"]]);
    const sockets = "tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n";
    const [plan] = network.importFile(sockets, false, { hostname: "nas" });
    expect(plan?.evidence).toEqual([
      { by: "request", value: "nas" },
      { by: "hostname", value: "nas" },
    ]);
  });
});
