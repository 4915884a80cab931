import { describe, expect, it } from "@jest/globals";
import type { Binding } from "@nts/shared/contract";
import { aHost, anInterface, aPort, aService } from "../kinds/testing/entities.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { mergeOf } from "./merge.rules.js";
import { splitOf } from "./split.rules.js";

const NOW = new Date("2026-02-16T09:30:00.000Z");
const made = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z", network_id: "network" };
const stored = <T>(entity: T) => ({ entity, revision: 1 });
const numbered = (): (() => string) => {
  let n = 0;
  return () => `new ${++n}`;
};

/** Where a service is bound: `80@a` is a port at an interface, `80` a port on all, `@a` an interface. */
type Bound = readonly string[];

/** A host with interfaces (by their last part, with MAC addresses), and services by their bindings. */
function hostOf(
  id: string,
  ips: Readonly<Record<string, string | null>>,
  bound: Readonly<Record<string, Bound>>,
): KnownHost {
  const owned = { ...made, host_id: id };
  const interfaces = Object.entries(ips).map(([ip, mac_address], position) =>
    anInterface({ ...owned, id: `${id} ${ip}`, ip_address: `10.0.0.${ip}`, subnet_id: "lan", mac_address, position }),
  );
  const numbers = [
    ...new Set(
      Object.values(bound)
        .flat()
        .flatMap((at) => (at.startsWith("@") ? [] : (at.split("@")[0] ?? []))),
    ),
  ];
  const ports = numbers.map((number) => aPort({ ...owned, id: `${id} :${number}`, number: Number(number) }));
  const services = Object.entries(bound).map(([name, all], position) =>
    aService({
      ...{ ...owned, id: `${id} ${name}`, name, position, tags: [name] },
      bindings: all.map((at): Binding => {
        const [number = "", ip] = at.split("@");
        const interface_id = ip === undefined ? null : `${id} ${ip}`;
        const one = { ...made, id: `${id} ${name} ${at}`, service_id: `${id} ${name}` };
        return number === ""
          ? { ...one, type: "Interface", interface_id: interface_id ?? "" }
          : { ...one, type: "Port", port_id: `${id} :${number}`, interface_id };
      }),
    }),
  );
  const host = aHost({ ...made, id, name: id, source: { type: "Discovery" } });
  return {
    host: stored(host),
    interfaces: interfaces.map(stored),
    ports: ports.map(stored),
    services: services.map(stored),
  };
}

type Changes = ReturnType<typeof splitOf>["changes"];

/** What hosts have after changes, a text each: addresses, ports, and services with their bindings. */
function afterOf(hosts: readonly KnownHost[], changes: Changes): Record<string, string> {
  const present = <Kind extends "interfaces" | "ports" | "services">(kind: Kind) => {
    const { created, changed, removed } = changes[kind] as ChangesOfChildren;
    const all = new Map(hosts.flatMap((host) => host[kind].map(({ entity }) => [entity.id, entity as Child])));
    for (const { id } of removed) all.delete(id);
    for (const one of [...created, ...changed.map(({ after }) => after.entity)]) all.set(one.id, one);
    return [...all.values()].sort((a, b) => (a.position ?? a.number ?? 0) - (b.position ?? b.number ?? 0));
  };
  const interfaces = present("interfaces");
  const ports = present("ports");
  const services = present("services");
  const ip = new Map(interfaces.map((one) => [one.id, String(one.ip_address).replace("10.0.0.", "")]));
  const number = new Map(ports.map((one) => [one.id, String(one.number)]));
  const boundText = (binding: Binding): string =>
    (binding.type === "Port" ? (number.get(binding.port_id) ?? "?") : "") +
    (binding.interface_id === null ? "" : `@${ip.get(binding.interface_id) ?? "?"}`);
  const ids = new Set([...interfaces, ...ports, ...services].map(({ host_id }) => host_id));
  return Object.fromEntries(
    [...ids].map((id) => {
      const on = <T extends Child>(all: readonly T[]): T[] => all.filter(({ host_id }) => host_id === id);
      const texts = on(services).map((one) => `${one.name} ${one.bindings?.map(boundText).sort().join() ?? ""}`);
      return [
        id,
        [
          on(interfaces)
            .map((one) => ip.get(one.id))
            .join(),
          on(ports)
            .map((one) => one.number)
            .join(),
          ...texts,
        ].join(" | "),
      ];
    }),
  );
}

interface ChangesOfChildren {
  readonly created: readonly Child[];
  readonly changed: readonly { readonly after: { readonly entity: Child } }[];
  readonly removed: readonly Child[];
}

interface Child {
  readonly id: string;
  readonly host_id: string;
  readonly name?: string | null;
  readonly ip_address?: string;
  readonly number?: number;
  readonly position?: number;
  readonly bindings?: readonly Binding[];
}

describe("a split host", () => {
  const ips = { 1: null, 2: null, 3: null };
  it.each<[string, Readonly<Record<string, Bound>>, string[], Record<string, string>]>([
    ["gives its interfaces", {}, ["2"], { old: "1,3 | ", "new 1": "2 | " }],
    [
      "keeps what is bound to nothing, or to all interfaces",
      { a: [], b: ["80"] },
      ["2"],
      { old: "1,3 | 80 | a  | b 80", "new 1": "2 | " },
    ],
    [
      "gives what is bound to them alone",
      { a: ["80@2"], b: ["22@1"] },
      ["2"],
      { old: "1,3 | 22 | b 22@1", "new 1": "2 | 80 | a 80@2" },
    ],
    [
      "shares a port and a service that others have as well",
      { a: ["80@1", "80@2"], b: ["443@2"], c: ["@2", "@3"] },
      ["2"],
      { old: "1,3 | 80 | a 80@1 | c @3", "new 1": "2 | 80,443 | a 80@2 | b 443@2 | c @2" },
    ],
    [
      "copies the port of a service that moves, if another one stays on it",
      { a: ["80@2"], b: ["80"] },
      ["2"],
      { old: "1,3 | 80 | b 80", "new 1": "2 | 80 | a 80@2" },
    ],
    [
      "closes the gaps",
      { a: ["80@1"], b: ["22@3"], c: ["1@2"] },
      ["1", "3"],
      { old: "2 | 1 | c 1@2", "new 1": "1,3 | 22,80 | a 80@1 | b 22@3" },
    ],
  ])("%s", (_rule, bound, leaving, expected) => {
    const host = hostOf("old", ips, bound);
    const interfaceIds = new Set(leaving.map((ip) => `old ${ip}`));
    const { changes } = splitOf(host, { interfaceIds, name: "printer", now: NOW, newId: numbered() });
    expect(afterOf([host], changes)).toEqual(expected);
  });
});

describe("merged hosts", () => {
  const merged = (into: KnownHost, other: KnownHost) => mergeOf(into, other, { now: NOW, newId: numbered() });

  it.each<[string, Readonly<Record<string, Bound>>, Readonly<Record<string, Bound>>, string]>([
    ["have the children of both", { a: ["80@1"] }, { b: ["22@3"] }, "1,2,3 | 22,80 | a 80@1 | b 22@3"],
    ["have an address and a port once", { a: ["80@2"] }, { b: ["80@2", "@3"] }, "1,2,3 | 80 | a 80@2 | b 80@2,@3"],
    [
      "have a service of one kind on one port once",
      { a: ["80@1"] },
      { a: ["80@3", "443"] },
      "1,2,3 | 80,443 | a 443,80@1,80@3",
    ],
    ["have one on all interfaces once", { a: ["80@1"] }, { a: ["80"] }, "1,2,3 | 80 | a 80"],
    [
      "have services of one kind on different ports both",
      { a: ["80@1"] },
      { a: ["81@3"] },
      "1,2,3 | 80,81 | a 80@1 | a 81@3",
    ],
    ["have services without ports once", { a: [] }, { a: [] }, "1,2,3 |  | a "],
    [
      "have both if their bindings contradict",
      { a: ["80", "81@2"] },
      { a: ["80@3", "@2"] },
      "1,2,3 | 80,81 | a 80,81@2 | a 80@3,@2",
    ],
  ])("%s", (_rule, mine, theirs, expected) => {
    const hosts = [hostOf("one", { 1: null, 2: null }, mine), hostOf("other", { 2: null, 3: null }, theirs)] as const;
    const { changes } = merged(...hosts);
    expect(afterOf(hosts, changes)).toEqual({ one: expected });
    expect(changes.hosts.removed.map(({ id }) => id)).toEqual(["other"]);
  });

  it.each<[string, string | null, string | null, string, string[]]>([
    ["its own MAC address", "A", null, "other 1", []],
    ["that of the other one, if it has none", null, "B", "one 1", []],
    ["its own, and that of the other one is remembered", "A", "B", "other 1", ["B"]],
  ])("have at an address of both %s", (_rule, mine, theirs, removed, lost) => {
    const { changes, lostMacs } = merged(hostOf("one", { 1: mine }, {}), hostOf("other", { 1: theirs }, {}));
    expect([changes.interfaces.removed.map(({ id }) => id), lostMacs]).toEqual([[removed], lost]);
  });
});
