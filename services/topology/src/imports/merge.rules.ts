import type { CoveredPorts } from "./coverage.rules.js";
import { MOST_HOSTS, type SeenAddress, type SeenHost, type SeenPort, type Skipped } from "./scan.rules.js";

// A host may occur several times in a file, for example once per port by masscan, and later parts may show that two
// hosts are one. The last sighting of an address counts.

/** Where an address was last seen. */
interface Owner {
  sighting: number;
  mac: string | null;
}

/**
 * Merges the sightings of each host, in order of first occurrence, so that addresses and MAC addresses are unique.
 * Equal MAC addresses mean the same host, and so do equal addresses unless MAC addresses differ.
 */
export function mergeSeen(hosts: readonly SeenHost[], skipped: Pick<Skipped, "add">): SeenHost[] {
  const { find, owners } = joinSightings(hosts);
  const groups = new Map<number, SeenHost[]>();
  /** What remains of a sighting after later ones took over addresses. */
  const owned = (host: SeenHost, root: number): SeenHost => {
    const isOwned = ({ ip }: { ip: string | null }): boolean =>
      ip === null || find(owners.get(ip)?.sighting ?? -1) === root;
    if (host.addresses.every(isOwned)) return host;
    return {
      ...host,
      addresses: host.addresses.filter(isOwned),
      ports: host.ports.filter(isOwned),
      covered: (host.covered ?? []).filter(isOwned),
    };
  };
  for (const [index, host] of hosts.entries()) {
    const root = find(index);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [owned(host, root)]);
    else group.push(owned(host, root));
  }
  const merged: SeenHost[] = [];
  for (const [root, group] of groups) {
    const host = together(group);
    const what = `host ${hosts[root]?.addresses[0]?.ip ?? ""}`;
    if (host.addresses.length === 0 && host.isNamed !== true)
      skipped.add(host.line, what, "its address was found later on another machine");
    else if (merged.length === MOST_HOSTS) skipped.add(host.line, what, `an import takes at most ${MOST_HOSTS} hosts`);
    else merged.push(host);
  }
  return merged;
}

/** Merges sightings of one host. @param hosts at least one, in file order */
export function together(hosts: readonly SeenHost[]): SeenHost {
  const [first] = hosts;
  if (first === undefined) throw new Error("nothing was seen");
  if (hosts.length === 1) return first;
  const macs = new Map<string, string | null>();
  const ports: SeenPort[] = [];
  const covered: CoveredPorts[] = [];
  let { hostname, name = null, vendor, isNamed = false } = first;
  for (const host of hosts) {
    for (const { ip, mac } of host.addresses) macs.set(ip, macs.get(ip) ?? mac);
    for (const port of host.ports) ports.push(port);
    for (const one of host.covered ?? []) covered.push(one);
    hostname ??= host.hostname;
    name ??= host.name ?? null;
    vendor ??= host.vendor;
    isNamed ||= host.isNamed === true;
  }
  return {
    line: first.line,
    isNamed,
    addresses: [...macs].map(([ip, mac]): SeenAddress => ({ ip, mac })),
    hostname,
    name,
    vendor,
    ports,
    covered,
  };
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
  return { find, owners };
}
