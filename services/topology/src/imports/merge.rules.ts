import type { Attributes } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import { compareNames, hostLabel, isDefaultName } from "../values/host-names.rules.js";
import { isOfVirtualMachine } from "../values/mac-addresses.rules.js";
import { connectionsTogether } from "./connections.rules.js";
import type { CoveredPorts } from "./coverage.rules.js";
import type { SaysOfHost } from "./observations.rules.js";
import { hostWith, marksIn } from "./packed-hosts.rules.js";
import {
  type FileLimits,
  RESPONSE_LIMITS,
  type SeenAddress,
  type SeenHost,
  type SeenPort,
  type Skipped,
} from "./scan.rules.js";

// A host may occur several times in a file, for example once per port by masscan, and later parts may show that two
// hosts are one. The last sighting of an address counts.

/** Names listed with a MAC address that several machines show. */
const MOST_NAMED = 5;

/** Where an address was last seen. */
interface Owner {
  sighting: number;
  mac: string | null;
}

/** How the sightings of a file are merged. */
export interface Merging {
  /**
   * True if machines report their own MAC addresses, as to a DHCP server. Seen from outside, a repeater or proxy ARP shows
   * one for several machines.
   */
  readonly isOwnCards?: boolean;
  readonly limits?: Pick<FileLimits, "hosts" | "advice">;
}

/**
 * Merges the sightings of each host, in order of first occurrence, so that addresses and MAC addresses are unique.
 * Equal MAC addresses mean the same host, unless names contradict, and so do equal addresses unless MAC addresses differ.
 * A name that has one IPv4 and one IPv6 sighting is one host.
 */
export function mergeSeen(
  seen: readonly SeenHost[],
  skipped: Pick<Skipped, "add">,
  { isOwnCards = false, limits = RESPONSE_LIMITS }: Merging = {},
): SeenHost[] {
  const hosts = withoutSharedAddresses(withoutSharedCards(seen, skipped, isOwnCards), skipped);
  const { find, owners } = joinSightings(hosts);
  const groups = new Map<number, SeenHost[]>();
  /** What remains of a sighting after later ones took over addresses. */
  const owned = (host: SeenHost, root: number): SeenHost => {
    const isOwned = ({ ip }: { ip: string | null }): boolean =>
      ip === null || find(owners.get(ip)?.sighting ?? -1) === root;
    if (host.addresses.every(isOwned)) return host;
    return hostWith(host, {
      addresses: host.addresses.filter(isOwned),
      ports: host.ports.filter(isOwned),
      covered: (host.covered ?? []).filter(isOwned),
    });
  };
  const sizes = new Map<number, number>();
  for (const index of hosts.keys()) sizes.set(find(index), (sizes.get(find(index)) ?? 0) + 1);
  for (const [index, host] of hosts.entries()) {
    const root = find(index);
    if (sizes.get(root) === 1) groups.set(root, [owned(host, root)]);
    // Those that are merged are unpacked in their order: a block of them for each would take far longer.
    else putUnder(groups, root, hostWith(owned(host, root), {}));
  }
  const merged: SeenHost[] = [];
  for (const [root, group] of groups) {
    const host = together(group, skipped);
    const what = `host ${hosts[root]?.addresses[0]?.ip ?? ""}`;
    const isKnownOtherwise =
      host.isNamed === true || host.isOnlyKnown === true || (host.cards ?? []).length > 0 || isNeighbour(group);
    if (host.addresses.length === 0 && !isKnownOtherwise)
      skipped.add(host.line, what, "its address was found later on another machine");
    else if (merged.length === limits.hosts)
      skipped.add(host.line, what, `an import takes at most ${limits.hosts} hosts: ${limits.advice}`);
    else merged.push(host);
  }
  return merged;
}

/** Whether a host never had an address, but a name: one that devices hear. */
function isNeighbour(group: readonly SeenHost[]): boolean {
  return group.some(({ cards, hostname }) => cards !== undefined && hostname !== null);
}

/**
 * Without the MAC addresses that several machines show, by their names.
 *
 * @param isOwnCards then only those of IPv6 clients, whose DUIDs are copied with images, are left out
 */
function withoutSharedCards(
  hosts: readonly SeenHost[],
  skipped: Pick<Skipped, "add">,
  isOwnCards: boolean,
): readonly SeenHost[] {
  const shared = new Map(
    [...sightingsByCard(hosts)]
      .map(([mac, sightings]) => [mac, contradictingNames(sightings)] as const)
      .filter(([, names]) => names.length > 0),
  );
  if (shared.size === 0) return hosts;
  const isShared = ({ ip, mac }: SeenAddress): boolean =>
    mac !== null && shared.has(mac) && (!isOwnCards || ip.includes(":"));
  return hosts.map((host) => {
    const bare = host.addresses.map((one) => ({ ip: one.ip, mac: isShared(one) ? null : one.mac }));
    const lost = host.addresses.find(isShared);
    if (lost === undefined) return host;
    const others = (shared.get(lost.mac ?? "") ?? []).slice(0, MOST_NAMED).join(", ");
    skipped.add(
      host.line,
      `MAC address ${lost.mac ?? ""} of ${lost.ip}`,
      isOwnCards
        ? `several machines show it in their DUIDs, as copies of an image do: ${others}`
        : `several machines show it, as behind a repeater or with proxy ARP: ${others}`,
    );
    return hostWith(host, { addresses: bare, vendor: null });
  });
}

/**
 * Without the addresses of several machines, by their serial numbers and names: that of a router to the Internet, which lists of devices
 * have.
 */
function withoutSharedAddresses(hosts: readonly SeenHost[], skipped: Pick<Skipped, "add">): readonly SeenHost[] {
  const sightings = new Map<string, SeenHost[]>();
  for (const host of hosts)
    if (serialOf(host) !== null) for (const { ip } of host.addresses) putUnder(sightings, ip, host);
  const shared = new Set(
    [...sightings]
      .filter(([, some]) => new Set(some.map(serialOf)).size > 1)
      .flatMap(([ip, some]) => (contradictingNames(some).length > 0 ? ip : [])),
  );
  if (shared.size === 0) return hosts;
  return hosts.map((host) => {
    const lost = host.addresses.filter(({ ip }) => shared.has(ip));
    if (lost.length === 0) return host;
    for (const { ip } of lost)
      skipped.add(
        host.line,
        `address ${ip}`,
        "machines of different serial numbers and names have it, as behind a router",
      );
    const macs = lost.flatMap(({ mac }) => mac ?? []);
    const isOwn = ({ ip }: { readonly ip: string | null }): boolean => ip === null || !shared.has(ip);
    const addresses = host.addresses.filter(isOwn);
    return hostWith(host, {
      addresses,
      cards: [...new Set([...(host.cards ?? []), ...macs])],
      ...(addresses.length === 0 && { isOnlyKnown: true }),
      ports: host.ports.filter(isOwn),
      covered: (host.covered ?? []).filter(isOwn),
    });
  });
}

function serialOf(host: SeenHost): string | null {
  return marksIn(host).find(({ kind }) => kind === "serial")?.key ?? null;
}

/** The sightings with each MAC address. */
function sightingsByCard(hosts: readonly SeenHost[]): ReadonlyMap<string, readonly SeenHost[]> {
  const sightings = new Map<string, SeenHost[]>();
  for (const host of hosts)
    for (const mac of new Set(host.addresses.flatMap((one) => one.mac ?? []))) putUnder(sightings, mac, host);
  return sightings;
}

/** The names of sightings, if they are of different machines: host names, or display names where one has no host name. */
function contradictingNames(sightings: readonly SeenHost[]): string[] {
  const hostnames = sightings.flatMap(({ hostname }) => (hostLabel(hostname) === null ? [] : (hostname ?? [])));
  const names = sightings.flatMap(({ name }) => name ?? []);
  const isOfSeveral =
    hostnames.some((one) => compareNames(hostnames[0] ?? "", one) === "different") ||
    (hostnames.length < sightings.length && new Set(names.map((one) => one.toLowerCase())).size > 1);
  return isOfSeveral ? [...new Set(sightings.flatMap(({ hostname, name }) => hostname ?? name ?? []))] : [];
}

/**
 * Merges sightings of one host.
 *
 * @param hosts at least one, in file order
 * @param skipped gets the names that are lost
 */
export function together(hosts: readonly SeenHost[], skipped?: Pick<Skipped, "add">): SeenHost {
  const [first] = hosts;
  if (first === undefined) throw new Error("nothing was seen");
  if (hosts.length === 1) return first;
  const lost = new Set<string>();
  const lostNames = new Set<string>();
  const cards = new Map<string, SeenAddress>();
  const ports: SeenPort[] = [];
  const covered: CoveredPorts[] = [];
  const says = saidTogether(hosts);
  const virtualization = hosts.map((host) => host.virtualization ?? null).find((one) => one !== null) ?? null;
  const workloads = hosts.flatMap((host) => host.workloads ?? []);
  const connections = connectionsTogether(hosts.map((host) => host.connections));
  const containers = hosts.find((host) => host.containers !== undefined)?.containers;
  let { hostname, name = null, vendor, role = null, isNamed = false } = first;
  const tags = [...new Set(hosts.flatMap((host) => host.tags ?? []))];
  const cardsOfAll = [...new Set(hosts.flatMap((host) => host.cards ?? []))];
  const attributes = Object.assign({}, ...hosts.map((host) => host.attributes ?? {}).reverse()) as Attributes;
  for (const host of hosts) {
    for (const one of host.addresses) if ((cards.get(one.ip)?.mac ?? null) === null) cards.set(one.ip, one);
    for (const port of host.ports) ports.push(port);
    for (const one of host.covered ?? []) covered.push(one);
    hostname ??= host.hostname;
    name ??= host.name ?? null;
    if (isOtherName(host.name ?? null, name)) lostNames.add(host.name ?? "");
    if (host.hostname !== null && hostname !== null && compareNames(hostname, host.hostname) === "different")
      lost.add(host.hostname);
    vendor ??= host.vendor;
    role ??= host.role ?? null;
    isNamed ||= host.isNamed === true;
  }
  for (const other of lost)
    skipped?.add(first.line, `host name ${other}`, `the same machine is called ${hostname ?? ""} in this file`);
  for (const other of lostNames)
    skipped?.add(first.line, `name ${other}`, `the same machine is called ${name ?? ""} in this file`);
  for (const other of lostSerials(hosts))
    skipped?.add(first.line, `serial number ${other}`, `the same machine has ${says.serial ?? ""} in this file`);
  return {
    line: first.line,
    isNamed,
    addresses: [...cards.values()],
    ...(cardsOfAll.length > 0 && { cards: cardsOfAll }),
    ...(hosts.every((host) => host.isOnlyKnown === true) && { isOnlyKnown: true }),
    hostname,
    name,
    vendor,
    role,
    tags,
    attributes,
    says,
    virtualization,
    workloads,
    ...(containers !== undefined && { containers }),
    ...(connections !== undefined && { connections }),
    ports,
    covered,
  };
}

/** Whether a display name differs from the one that is kept. */
export function isOtherName(name: string | null, kept: string | null): boolean {
  return name !== null && kept !== null && name.toLowerCase() !== kept.toLowerCase();
}

/** Serial numbers besides the first one. */
function lostSerials(hosts: readonly SeenHost[]): ReadonlySet<string> {
  const serials = hosts.flatMap((host) => marksIn(host).filter(({ kind }) => kind === "serial"));
  return new Set(serials.flatMap(({ key, value }) => (key === serials[0]?.key ? [] : value)));
}

/** What is said first of each member. */
function saidTogether(hosts: readonly SeenHost[]): SaysOfHost {
  const all = hosts.map(({ says = {} }) => Object.entries(says).filter(([, value]) => value !== null));
  return Object.fromEntries(all.reverse().flat()) as SaysOfHost;
}

/** True if two MAC addresses may belong to one interface: equal, or one unknown. */
export function agree(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** Unites the sightings of one host. */
function joinSightings(hosts: readonly SeenHost[]) {
  const parents = hosts.map((_host, index) => index);
  const parentOf = (index: number): number => parents[index] ?? index;
  const find = (index: number): number => {
    let root = index;
    for (let parent = parentOf(root); parent !== root; parent = parentOf(root)) {
      parents[root] = parentOf(parent);
      root = parent;
    }
    return root;
  };
  /** The earlier one represents both. */
  const join = (a: number, b: number): void => {
    const [low, high] = [find(a), find(b)].sort((one, other) => one - other) as [number, number];
    parents[high] = low;
  };
  const owners = new Map<string, Owner>();
  const byMac = new Map<string, number>();
  for (const [index, { addresses }] of hosts.entries())
    for (const { ip, mac } of addresses) {
      if (mac !== null) {
        join(index, byMac.get(mac) ?? index);
        byMac.set(mac, index);
      }
      const owner = owners.get(ip);
      if (owner !== undefined && agree(owner.mac, mac)) {
        join(index, owner.sighting);
        owner.mac ??= mac;
      } else owners.set(ip, { sighting: index, mac });
    }
  joinCards(hosts, byMac, join);
  joinMarks(hosts, join);
  joinFamilies(hosts, { find, join });
  joinNeighbours(hosts, { find, join });
  return { find, owners };
}

/** Joins what shows a MAC address of a chassis or port with the others that show it, unless names contradict. */
function joinCards(hosts: readonly SeenHost[], byMac: Map<string, number>, join: (a: number, b: number) => void): void {
  for (const [index, { cards = [], hostname }] of hosts.entries())
    for (const mac of cards) {
      const other = byMac.get(mac) ?? index;
      const name = hosts[other]?.hostname ?? null;
      if (name !== null && hostname !== null && compareNames(name, hostname) === "different") continue;
      join(index, other);
      byMac.set(mac, other);
    }
}

/** Joins what shows a serial number or DUID, unless names contradict, or it may be that of a copied virtual machine. */
function joinMarks(hosts: readonly SeenHost[], join: (a: number, b: number) => void): void {
  const shown = new Map<string, number[]>();
  for (const [index, host] of hosts.entries())
    for (const { kind, key } of marksIn(host)) if (kind !== "machine_id") putUnder(shown, key, index);
  for (const [key, indexes] of shown) {
    const sightings = indexes.flatMap((index) => hosts[index] ?? []);
    if (indexes.length === 1) continue;
    // Those with one name are one machine, whatever has the same number, such as its management controller.
    const groups = contradictingNames(sightings).length === 0 ? [indexes] : sameNamed(hosts, indexes);
    for (const group of groups) {
      const [first = 0, ...others] = group;
      const some = group.flatMap((index) => hosts[index] ?? []);
      if (key.startsWith("duid") && isOfCopies(some)) continue;
      for (const index of others) join(first, index);
    }
  }
}

/** Those with the same name, which is not one that machines come with. */
function sameNamed(hosts: readonly SeenHost[], indexes: readonly number[]): number[][] {
  const named = new Map<string, number[]>();
  for (const index of indexes) {
    const { hostname = null, name = null } = hosts[index] ?? {};
    const own = hostname ?? name;
    if (own !== null && hostLabel(own) !== null && !isDefaultName(own)) putUnder(named, own.toLowerCase(), index);
  }
  return [...named.values()];
}

/** Whether sightings may be of machines with one image: they show several network cards, and no name of their own. */
function isOfCopies(sightings: readonly SeenHost[]): boolean {
  const macs = new Set(sightings.flatMap(({ addresses }) => addresses.flatMap(({ mac }) => mac ?? [])));
  const isNamed = sightings.some(({ hostname }) => hostLabel(hostname) !== null && !isDefaultName(hostname ?? ""));
  return macs.size > 1 && (!isNamed || [...macs].some(isOfVirtualMachine));
}

/**
 * Joins a neighbour of which nothing but the name is known with the only machine in the file that has it; one of which a MAC
 * address is known is another machine, if it is none of that one's.
 */
function joinNeighbours(
  hosts: readonly SeenHost[],
  { find, join }: { find: (index: number) => number; join: (a: number, b: number) => void },
): void {
  const named = new Map<string, { readonly all: Set<number>; readonly bare: number[] }>();
  for (const [index, { hostname, cards, addresses }] of hosts.entries()) {
    if (hostname === null) continue;
    const key = hostname.toLowerCase();
    const some = named.get(key) ?? { all: new Set(), bare: [] };
    named.set(key, some);
    if (cards?.length === 0 && addresses.length === 0) some.bare.push(index);
    else some.all.add(find(index));
  }
  for (const { all, bare } of named.values()) {
    const [first] = all.size === 1 ? all : bare;
    if (all.size <= 1 && first !== undefined) for (const index of bare) join(first, index);
  }
}

/** Joins what a name has under IPv4 with what it has under IPv6, if that is one host each. */
function joinFamilies(
  hosts: readonly SeenHost[],
  { find, join }: { find: (index: number) => number; join: (a: number, b: number) => void },
): void {
  const byName = new Map<string, Families>();
  for (const [index, { hostname, name = null, addresses }] of hosts.entries()) {
    const key = (hostLabel(hostname) === null ? name : hostname)?.toLowerCase() ?? null;
    if (key === null || addresses.length === 0) continue;
    const named = byName.get(key) ?? { v4: null, v6: null, mac: null };
    byName.set(key, named);
    const family = addresses.some(({ ip }) => !ip.includes(":")) ? "v4" : "v6";
    named[family] = only(named[family], find(index));
    for (const { mac } of addresses) if (mac !== null) named.mac = only(named.mac, mac);
  }
  for (const { v4, v6, mac } of byName.values())
    if (typeof v4 === "number" && typeof v6 === "number" && mac !== SEVERAL) join(v4, v6);
}

const SEVERAL = Symbol("several");
type Only<Value> = Value | typeof SEVERAL | null;

/** Where a name has addresses of each family, and with which MAC address; sets would take most of the memory of a large file. */
interface Families {
  v4: Only<number>;
  v6: Only<number>;
  mac: Only<string>;
}

function only<Value>(known: Only<Value>, value: Value): Only<Value> {
  return known === null || known === value ? value : SEVERAL;
}
