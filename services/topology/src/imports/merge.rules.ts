import type { CoveredPorts } from "./coverage.rules.js";
import { MOST_HOSTS, type SeenAddress, type SeenHost, type SeenPort, type Skipped } from "./scan.rules.js";

// One host may stand in a file several times: with an address each time, or, as masscan writes it, once for each port; and
// a later part may tell that two hosts are one. Of an address the last sighting counts: where a file has it at two machines,
// it belongs to the later one.

/** Where an address has been seen last. */
interface Owner {
  sighting: number;
  mac: string | null;
}

/**
 * The hosts of a file with each of them once, in the order in which they are first seen; no address and no MAC address is
 * that of two of them. What has the same MAC address is one host; so is what has the same address, unless MAC addresses say
 * otherwise.
 */
export function mergeSeen(hosts: readonly SeenHost[], skipped: Pick<Skipped, "add">): SeenHost[] {
  const { find, owners } = joinSightings(hosts);
  const groups = new Map<number, SeenHost[]>();
  /** What is left of a sighting when later ones have taken addresses of it away. */
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
      skipped.add(host.line, what, "its address is seen later at another machine");
    else if (merged.length === MOST_HOSTS) skipped.add(host.line, what, `an import takes at most ${MOST_HOSTS} hosts`);
    else merged.push(host);
  }
  return merged;
}

/** Sightings of one host as one. @param hosts at least one, in the order of the file */
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

/** True when two MAC addresses may be those of one interface: they are equal, or one is not known. */
export function agree(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** Puts sightings of one host into one set. */
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
  /** The earlier one stands for both. */
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
