import { describe, expect, it } from "@jest/globals";
import type { Interface } from "@nts/shared/contract";
import { anInterface } from "../kinds/testing/entities.js";
import { apart } from "./apart.rules.js";
import { createKnownInterfaces } from "./match.rules.js";
import type { SeenHost } from "./scan.rules.js";

const MAC = "02:00:00:00:00:0A";
const OTHER = "02:00:00:00:00:0B";

/** An interface of a host; of the host `new`, it was split from another one. */
const at = (host_id: string, ip_address: string, mac_address: string | null = MAC): Interface =>
  anInterface({ id: ip_address, host_id, ip_address, mac_address, ...(host_id === "new" && { is_separate: true }) });

const sighting = (addresses: Readonly<Record<string, string | null>>, more: Partial<SeenHost> = {}): SeenHost => ({
  ...{ line: 1, hostname: "nas.example", vendor: "Example" },
  addresses: Object.entries(addresses).map(([ip, mac]) => ({ ip, mac })),
  ports: [null, ...Object.keys(addresses)].map((ip) => ({ line: 1, ip, protocol: "Tcp", number: 80, service: null })),
  ...more,
});

describe("a sighting of what people have split", () => {
  it.each<[string, Readonly<Record<string, string | null>>, Interface[], string[], Partial<SeenHost>?, string?]>([
    ["is one if nothing of it is known", { "10.0.0.1": MAC, "10.0.0.2": MAC }, [], ["10.0.0.1 10.0.0.2"]],
    [
      "is one if nothing of it was split",
      { "10.0.0.1": MAC, "10.0.0.2": MAC },
      [at("old", "10.0.0.1")],
      ["10.0.0.1 10.0.0.2"],
    ],
    [
      "is two",
      { "10.0.0.2": MAC, "10.0.0.1": MAC },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.1", "10.0.0.2"],
    ],
    [
      "is two without MAC addresses",
      { "10.0.0.2": null, "10.0.0.1": null },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.1", "10.0.0.2"],
    ],
    [
      "is one if it is all on the new host",
      { "10.0.0.2": MAC, "10.0.0.3": MAC },
      [at("new", "10.0.0.2"), at("new", "10.0.0.3")],
      ["10.0.0.2 10.0.0.3"],
    ],
    [
      "gives a new address to the other host",
      { "10.0.0.1": MAC, "10.0.0.2": MAC, "10.0.0.9": MAC },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.1 10.0.0.9", "10.0.0.2"],
    ],
    [
      "gives it to the new host, if there is no other one",
      { "10.0.0.2": OTHER, "10.0.0.9": OTHER },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2", OTHER)],
      ["10.0.0.2 10.0.0.9"],
    ],
    [
      "is two by the MAC address of the other host, whose address is new",
      { "10.0.0.2": MAC, "10.0.0.9": MAC },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.9", "10.0.0.2"],
    ],
    [
      "is one if the address is of another card now",
      { "10.0.0.1": OTHER, "10.0.0.2": OTHER },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.1 10.0.0.2"],
    ],
    [
      "is two if the request names the other host",
      { "10.0.0.2": null },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["", "10.0.0.2"],
      { isNamed: true },
      "old",
    ],
    [
      "is one if the request names the new host",
      { "10.0.0.2": null, "10.0.0.1": null },
      [at("old", "10.0.0.1"), at("new", "10.0.0.2")],
      ["10.0.0.2 10.0.0.1"],
      { isNamed: true },
      "new",
    ],
  ])("%s", (_rule, addresses, interfaces, parts, more = {}, named) => {
    const known = createKnownInterfaces();
    known.add(interfaces);
    const found = apart(sighting(addresses, more), known, named ?? null);
    expect(found.map((part) => part.addresses.map(({ ip }) => ip).join(" "))).toEqual(parts);
    const [main, ...others] = found;
    expect([main?.hostname, ...others.map(({ hostname }) => hostname)]).toEqual([
      "nas.example",
      ...others.map(() => null),
    ]);
    for (const [index, part] of found.entries())
      expect(part.ports.map(({ ip }) => ip)).toEqual([
        ...(index === 0 ? [null] : []),
        ...part.addresses.map(({ ip }) => ip),
      ]);
  });
});
