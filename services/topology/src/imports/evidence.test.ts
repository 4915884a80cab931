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

function imported(network: MemoryNetwork, rows: readonly Row[]): string[] {
  const file = `ip,mac,hostname\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  const plans = network.importFile(file, false);
  return plans.map(({ entity, evidence }) =>
    [`${entity.hostname ?? entity.name}:`, ...evidence.map(({ by, value }) => `${by}=${value}`)].join(" "),
  );
}

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
