import { describe, expect, it } from "@jest/globals";
import type { Interface } from "@nts/shared/contract";
import { anInterface } from "../kinds/testing/entities.js";
import { createKnownInterfaces, type KnownInterfaces, matchOf, supersededBy } from "./match.rules.js";
import type { SeenHost } from "./scan.rules.js";

const A = "02:00:00:00:00:0A";
const B = "02:00:00:00:00:0B";
const PREFIXES: Readonly<Record<string, number>> = { wide: 16, narrow: 24 };

const at = (host_id: string, ip_address: string, mac_address: string | null = null, subnet_id = "wide"): Interface =>
  anInterface({ id: `${host_id} ${ip_address}`, host_id, ip_address, mac_address, subnet_id });

type Addresses = readonly (readonly [string, string | null])[];

const hostWith = (addresses: Addresses): SeenHost => {
  const seen = addresses.map(([ip, mac]) => ({ ip, mac }));
  return { line: 1, addresses: seen, hostname: null, vendor: null, ports: [] };
};

const knownOf = (interfaces: readonly Interface[]): KnownInterfaces => {
  const known = createKnownInterfaces();
  known.add(interfaces);
  return known;
};

const match = (addresses: Addresses, known: readonly Interface[]): string | null => {
  const found = matchOf(hostWith(addresses), knownOf(known), (id) => PREFIXES[id] ?? -1);
  return found === null ? null : `${found.hostId} by ${found.by}`;
};

describe("a sighted host is matched with", () => {
  it.each([
    ["no existing host", [["10.0.0.1", A]], [], null],
    ["the host with its MAC address", [["10.0.0.1", A]], [at("h1", "10.0.0.9", A)], "h1 by mac_address"],
    [
      "the host with its MAC address, whichever has its IP address",
      [["10.0.0.1", A]],
      [at("h1", "10.0.0.1"), at("h2", "10.0.0.9", A)],
      "h2 by mac_address",
    ],
    [
      "of two hosts with its MAC address the one with its IP address",
      [["10.0.0.2", A]],
      [at("h1", "10.0.0.1", A), at("h2", "10.0.0.2", A)],
      "h2 by mac_address",
    ],
    [
      "the host with its IP address and no known MAC address",
      [["10.0.0.1", A]],
      [at("h1", "10.0.0.1")],
      "h1 by ip_address",
    ],
    [
      "the host with its IP address, when its MAC address was not found",
      [["10.0.0.1", null]],
      [at("h1", "10.0.0.1", A)],
      "h1 by ip_address",
    ],
    ["not the host with its IP address and another MAC address", [["10.0.0.1", A]], [at("h1", "10.0.0.1", B)], null],
    [
      "the host with any of its IP addresses",
      [
        ["fd00::1", null],
        ["10.0.0.1", null],
      ],
      [at("h1", "10.0.0.1")],
      "h1 by ip_address",
    ],
    [
      "of several hosts the one in the smallest subnet",
      [["10.0.0.1", null]],
      [at("h1", "10.0.0.1"), at("h2", "10.0.0.1", null, "narrow")],
      "h2 by ip_address",
    ],
    [
      "of several hosts with its IP address the one that got it last",
      [["10.0.0.1", null]],
      [at("h1", "10.0.0.1", A), at("h2", "10.0.0.1", B)],
      "h2 by ip_address",
    ],
    [
      "of several hosts with its MAC address the oldest",
      [["10.0.0.9", A]],
      [at("h2", "10.0.0.1", A), at("h1", "10.0.0.2", A)],
      "h1 by mac_address",
    ],
  ] as const)("%s", (_what, addresses, known, expected) => {
    expect(match(addresses, known)).toBe(expected);
  });
});

describe("an address found at one host is moved from", () => {
  it.each([
    ["another host with another MAC address", null, [["10.0.0.1", B]], [at("h1", "10.0.0.1", A)], ["h1 10.0.0.1"]],
    [
      "another host when the matched host did not have it",
      "h2",
      [["10.0.0.1", null]],
      [at("h1", "10.0.0.1", A)],
      ["h1 10.0.0.1"],
    ],
    [
      "another host when both have it and the MAC address distinguishes them",
      "h2",
      [["10.0.0.1", B]],
      [at("h1", "10.0.0.1"), at("h2", "10.0.0.1", B)],
      ["h1 10.0.0.1"],
    ],
    [
      "none when both have it and nothing distinguishes them",
      "h2",
      [["10.0.0.1", null]],
      [at("h1", "10.0.0.1", A), at("h2", "10.0.0.1")],
      [],
    ],
    ["none when only the matched host has it", "h1", [["10.0.0.1", A]], [at("h1", "10.0.0.1")], []],
  ] as const)("%s", (_what, hostId, addresses, known, expected) => {
    expect(supersededBy(hostWith(addresses), hostId, knownOf(known)).map(({ id }) => id)).toEqual(expected);
  });
});
