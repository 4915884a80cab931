import { describe, expect, it } from "@jest/globals";
import type { NamedHost } from "../storage/stores/host-names.js";
import { createDistinction, createKnownNames } from "./names.rules.js";
import { createMemoryNetwork } from "./testing/network.js";
import { MAC, seenHost } from "./testing/sightings.js";

const host = (id: string, hostname: string | null, more: Partial<NamedHost> = {}): NamedHost => ({
  ...{ id, hostname, hasInterfaces: false, lostMacs: [] },
  ...more,
});
const withInterfaces = { hasInterfaces: true };
const lost = { lostMacs: [MAC] };
const seen = (hostname: string | null, ips: readonly string[] = ["10.0.0.1"]) => seenHost(ips, [], { hostname });
const seenWithMac = { ...seen("nas"), addresses: [{ ip: "10.0.0.1", mac: "02:00:00:00:00:0B" }] };

describe("a hostname is matched with", () => {
  it.each([
    ["the only host that has it", seen("nas"), [host("a", "nas"), host("b", "web")], "a"],
    ["a host that has it in another case", seen("NAS"), [host("a", "nas")], "a"],
    ["a host that has a domain, too", seen("nas"), [host("a", "nas.home.example")], "a"],
    ["a host that has no domain", seen("nas.home.example"), [host("a", "nas")], "a"],
    [
      "the host with the same domain, rather than one without",
      seen("nas.lan"),
      [host("a", "nas"), host("b", "nas.lan")],
      "b",
    ],
    ["none, when a host has another domain", seen("nas.lan"), [host("a", "nas.home.example")], null],
    ["none, when two hosts have it", seen("nas"), [host("a", "nas"), host("b", "NAS")], null],
    ["none, when it is ambiguous", seen("nas"), [host("a", "nas.lan"), host("b", "nas.home.example")], null],
    [
      "none, when one of two that have it has addresses",
      seen("nas"),
      [host("a", "nas"), host("b", "nas", withInterfaces)],
      null,
    ],
    ["none, when the host has addresses, and others were found", seen("nas"), [host("a", "nas", withInterfaces)], null],
    ["a host that has addresses, when none were found", seen("nas", []), [host("a", "nas", withInterfaces)], "a"],
    ["a host that has lost its address, when no MAC address was found", seen("nas"), [host("a", "nas", lost)], "a"],
    ["none, when the host had another MAC address", seenWithMac, [host("a", "nas", lost)], null],
    ["none, when it is a generic name", seen("localhost"), [host("a", "localhost")], null],
    ["none, when there are no names", seen(null), [host("a", null)], null],
  ] as const)("%s", (_what, sighting, hosts, expected) => {
    expect(createKnownNames(hosts).named(sighting, "label", new Set())?.id ?? null).toBe(expected);
  });

  it("nothing when the host loses its addresses in the same import", () => {
    expect(createKnownNames([host("a", "nas")]).named(seen("nas"), "label", new Set(["a"]))).toBeNull();
  });

  it.each([
    [
      ["nas", "web"],
      ["label", "label"],
    ],
    [
      ["nas", "NAS"],
      ["no", "no"],
    ],
    [
      ["nas.home.example", "nas.lan"],
      ["name", "name"],
    ],
    [
      ["nas", "nas.lan"],
      ["name", "name"],
    ],
    [
      [null, "localhost"],
      ["no", "no"],
    ],
  ] as const)("at most one host of a file: of %p, it matches %p", (names, expected) => {
    const hosts = names.map((name) => seen(name));
    expect(hosts.map(createDistinction(hosts))).toEqual(expected);
  });

  it("the exact name only, when the file has another one with the same first label", () => {
    const known = createKnownNames([host("a", "nas")]);
    expect(known.named(seen("nas.lan"), "name", new Set())).toBeNull();
    expect(known.named(seen("NAS"), "name", new Set())?.id).toBe("a");
  });
});

it("a MAC address that hosts have lost is matched with the oldest of them", () => {
  const known = createKnownNames([host("b", null, lost), host("a", null, lost)]);
  expect(known.withLostMac(MAC)?.id).toBe("a");
  expect(known.withLostMac("02:00:00:00:00:0C")).toBeNull();
});

describe("a name in separate files of IPv4 and IPv6", () => {
  const DUID = "00:01:00:01:2a:2b:2c:2d:7c:2f:80:40:00:20";
  const leases4 = "4102444800 7c:2f:80:40:00:20 192.168.1.20 nas *\n";

  it("is one host, if a MAC address shows it", () => {
    const network = createMemoryNetwork();
    network.importFile(leases4, false);
    network.importFile(`duid 00:03:00:01:00\n4102444800 123 fd00:1::20 nas ${DUID}\n`, false);
    expect([...network.hosts.values()].map(({ interfaces }) => interfaces.length)).toEqual([2]);
  });

  it("alone does not join machines, and the plan says so", () => {
    const network = createMemoryNetwork();
    network.importFile("192.168.1.20 nas\n", false);
    const [plan] = network.importFile("fd00:1::20 nas\n", false);
    expect([network.hosts.size, plan?.skipped]).toEqual([
      2,
      [
        {
          line: 1,
          what: "host name nas",
          reason: "another host has it, at addresses that are not in the file: merge the two if they are one machine",
        },
      ],
    ]);
    expect(network.importFile("fd00:1::20 nas\n", true)[0]).toMatchObject({ action: "unchanged", skipped: [] });
  });
});
