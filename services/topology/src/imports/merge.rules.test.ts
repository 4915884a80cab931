import { describe, expect, it } from "@jest/globals";
import { mergeSeen } from "./merge.rules.js";
import { createSkipped, MOST_HOSTS, type SeenHost } from "./scan.rules.js";

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
    ["with one address and two MAC addresses are two hosts, and the later one gets it", [seen("10.0.0.2", A, 21), seen("10.0.0.1", A, 22), seen("10.0.0.1", B, 80)], [`10.0.0.2 ${A},21`, `10.0.0.1 ${B},80`]],
    ["of an address that moves and returns", [seen("10.0.0.1", A), seen("10.0.0.1", B), seen("10.0.0.1", A, 22)], [`10.0.0.1 ${A},22`]],
    ["that a later one connects", [seen("10.0.0.1", null, 22), seen("10.0.0.2", null, 80), both("10.0.0.1", "10.0.0.2")], ["10.0.0.1,10.0.0.2,22,80"]],
    ["that a later MAC address connects", [seen("10.0.0.1", A), seen("10.0.0.2"), seen("10.0.0.2", A)], [`10.0.0.1 ${A},10.0.0.2 ${A}`]],
    ["with nothing in common are two hosts", [seen("10.0.0.1", A), seen("10.0.0.2", B)], [`10.0.0.1 ${A}`, `10.0.0.2 ${B}`]],
  ])("%s", (_what, hosts, expected) => {
    expect(merged(...hosts)).toEqual(expected);
  }); // prettier-ignore

  it("count as one host towards the maximum of an import", () => {
    const others = Array.from({ length: MOST_HOSTS }, (_, n) => seen(`10.1.${n >> 8}.${n & 255}`));
    const skipped = createSkipped();
    const hosts = mergeSeen([...others, seen("10.1.0.0", A), seen("10.200.0.1")], skipped);
    expect(hosts.length).toBe(MOST_HOSTS);
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
