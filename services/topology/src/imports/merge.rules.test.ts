import { describe, expect, it } from "@jest/globals";
import { mergeSeen } from "./merge.rules.js";
import { createSkipped, RESPONSE_LIMITS, type SeenHost } from "./scan.rules.js";

const A = "02:00:00:00:00:0A";
const B = "02:00:00:00:00:0B";

let line = 0;
const seen = (ip: string, mac: string | null = null, number?: number): SeenHost => ({
  line: ++line,
  addresses: [{ ip, mac }],
  hostname: null,
  vendor: null,
  ports: number === undefined ? [] : [{ line, ip, protocol: "Tcp", number, service: null }],
});

const both = (...ips: string[]): SeenHost => ({
  ...seen(ips[0]!),
  addresses: ips.map((ip) => ({ ip, mac: null })),
});

const merged = (...hosts: SeenHost[]): string[] =>
  mergeSeen(hosts, createSkipped()).map(({ addresses, ports }) =>
    [
      ...addresses.map(({ ip, mac }) => (mac === null ? ip : `${ip} ${mac}`)),
      ...ports.map(({ number }) => number),
    ].join(),
  );

describe("sightings of one host in one file", () => {
  it.each([
    ["with one address", [seen("10.0.0.1", null, 22), seen("10.0.0.1", null, 80)], ["10.0.0.1,22,80"]],
    ["with one MAC address", [seen("10.0.0.1", A), seen("10.0.0.2", A)], [`10.0.0.1 ${A},10.0.0.2 ${A}`]],
    ["only one of which has the MAC address", [seen("10.0.0.1"), seen("10.0.0.1", A)], [`10.0.0.1 ${A}`]],
    [
      "with one address and two MAC addresses are two hosts, and the later one gets it",
      [seen("10.0.0.2", A, 21), seen("10.0.0.1", A, 22), seen("10.0.0.1", B, 80)],
      [`10.0.0.2 ${A},21`, `10.0.0.1 ${B},80`],
    ],
    [
      "of an address that moves and returns",
      [seen("10.0.0.1", A), seen("10.0.0.1", B), seen("10.0.0.1", A, 22)],
      [`10.0.0.1 ${A},22`],
    ],
    [
      "that a later one connects",
      [seen("10.0.0.1", null, 22), seen("10.0.0.2", null, 80), both("10.0.0.1", "10.0.0.2")],
      ["10.0.0.1,10.0.0.2,22,80"],
    ],
    [
      "that a later MAC address connects",
      [seen("10.0.0.1", A), seen("10.0.0.2"), seen("10.0.0.2", A)],
      [`10.0.0.1 ${A},10.0.0.2 ${A}`],
    ],
    [
      "with nothing in common are two hosts",
      [seen("10.0.0.1", A), seen("10.0.0.2", B)],
      [`10.0.0.1 ${A}`, `10.0.0.2 ${B}`],
    ],
  ])("%s", (_what, hosts, expected) => {
    expect(merged(...hosts)).toEqual(expected);
  });

  it("count as one host towards the maximum of an import", () => {
    const others = Array.from({ length: RESPONSE_LIMITS.hosts }, (_, n) => seen(`10.1.${n >> 8}.${n & 255}`));
    const skipped = createSkipped();
    const hosts = mergeSeen([...others, seen("10.1.0.0", A), seen("10.200.0.1")], skipped);
    expect(hosts.length).toBe(RESPONSE_LIMITS.hosts);
    expect(hosts[0]!.addresses).toEqual([{ ip: "10.1.0.0", mac: A }]);
    expect(skipped.listed.map(({ what }) => what)).toEqual(["host 10.200.0.1"]);
  });

  it("are skipped, with the reason, when later ones have taken every address", () => {
    const skipped = createSkipped();
    const hosts = mergeSeen([seen("10.0.0.1", A), seen("10.0.0.1", B)], skipped);
    expect(hosts.map(({ addresses }) => addresses)).toEqual([[{ ip: "10.0.0.1", mac: B }]]);
    expect(skipped.listed.map(({ what, reason }) => [what, reason])).toEqual([
      ["host 10.0.0.1", "its address was found later on another machine"],
    ]);
  });

  it("take linear time when one host has very many", () => {
    const many = Array.from({ length: 65_535 }, (_, n) => seen("10.0.0.1", null, n + 1));
    expect(mergeSeen(many, createSkipped())[0]!.ports.length).toBe(65_535);
  });
});

/** A sighting with a name. */
const named = (hostname: string, ip: string, mac: string | null = null): SeenHost => ({ ...seen(ip, mac), hostname });

const namesOf = (hosts: readonly SeenHost[]): string[] =>
  hosts.map(({ hostname, addresses }) =>
    [hostname, ...addresses.map(({ ip, mac }) => `${ip} ${mac ?? "-"}`)].join(" "),
  );

describe("machines behind one MAC address", () => {
  it("stay machines of their own when their names contradict, and each lost MAC address is listed", () => {
    const skipped = createSkipped();
    const hosts = [
      named("sofa.lan", "10.0.0.1", A),
      named("kiosk.lan", "10.0.0.2", A),
      seen("10.0.0.3", A),
      named("nas", "10.0.0.4", B),
    ];
    expect(namesOf(mergeSeen(hosts, skipped))).toEqual([
      "sofa.lan 10.0.0.1 -",
      "kiosk.lan 10.0.0.2 -",
      " 10.0.0.3 -",
      `nas 10.0.0.4 ${B}`,
    ]);
    expect(skipped.listed.map(({ what, reason }) => `${what}: ${reason}`)).toEqual(
      ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(
        (ip) =>
          `MAC address ${A} of ${ip}: several machines show it, as behind a repeater or with proxy ARP: sofa.lan, kiosk.lan`,
      ),
    );
  });

  it("are told by display names as well, where a sighting has no host name", () => {
    const titled = (name: string, ip: string, hostname: string | null = null): SeenHost => ({
      ...seen(ip, A),
      name,
      hostname,
    });
    const count = (...hosts: SeenHost[]): number => mergeSeen(hosts, createSkipped()).length;
    expect(count(titled("Sofa", "10.0.0.1"), titled("Kiosk", "10.0.0.2"))).toBe(2);
    expect(count(titled("Sofa", "10.0.0.1"), titled("sofa", "10.0.0.2"))).toBe(1);
    expect(count(titled("Sofa", "10.0.0.1", "tv.lan"), titled("TV", "10.0.0.2", "tv.lan"))).toBe(1);
    expect(count(titled("Sofa", "10.0.0.1"), seen("10.0.0.2", A))).toBe(1);
  });

  it("are one when their names agree, or a DHCP server was told the MAC address; then lost names are listed", () => {
    const hosts = [named("old", "10.0.0.1", A), named("new", "10.0.0.2", A)];
    const skipped = createSkipped();
    expect(namesOf(mergeSeen([named("nas", "10.0.0.1", A), named("nas.lan", "10.0.0.2", A)], skipped))).toHaveLength(1);
    expect(skipped.count()).toBe(0);
    expect(namesOf(mergeSeen(hosts, skipped, { isOwnCards: true }))).toEqual([`old 10.0.0.1 ${A} 10.0.0.2 ${A}`]);
    expect(skipped.listed.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      "host name new: the same machine is called old in this file",
    ]);
  });
});

describe("one name under IPv4 and IPv6", () => {
  it.each([
    ["is one machine", [named("nas", "10.0.0.1", A), named("NAS", "fd00::1")], 1],
    ["is two with two MAC addresses", [named("nas", "10.0.0.1", A), named("nas", "fd00::1", B)], 2],
    [
      "is as many as it has addresses of one kind",
      [named("pool", "10.0.0.1"), named("pool", "10.0.0.2"), named("pool", "fd00::1")],
      3,
    ],
    ["is nobody's if it is every machine's", [named("localhost", "10.0.0.1"), named("localhost", "fd00::1")], 2],
  ])("%s", (_what, hosts, count) => {
    expect(mergeSeen(hosts, createSkipped())).toHaveLength(count);
  });
});
