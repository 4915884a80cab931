import { MOST_HOSTS, type SeenHost, type SeenPort, type Skipped } from "./scan.js";

// One host may stand in a file several times: with an address each time, or, as masscan writes it, once for each port.

/** A host while its sightings are put together. */
interface Group {
  readonly line: number;
  /** MAC address, or null, by address. */
  readonly macs: Map<string, string | null>;
  hostname: string | null;
  vendor: string | null;
  readonly ports: SeenPort[];
}

/**
 * The hosts of a file with each of them once, in the order in which they are first seen. What has the same MAC address is
 * one host; so is what has the same address, unless MAC addresses say otherwise.
 */
export function mergeSeen(hosts: readonly SeenHost[], skipped: Pick<Skipped, "add">): SeenHost[] {
  const groups = new Set<Group>();
  const byMac = new Map<string, Group>();
  const byIp = new Map<string, Group>();
  for (const host of hosts) {
    const group = groupOf(host, byMac, byIp) ?? newGroup(host);
    if (groups.size === MOST_HOSTS && !groups.has(group)) {
      skipped.add(host.line, `host ${host.addresses[0]?.ip ?? ""}`, `an import takes at most ${MOST_HOSTS} hosts`);
      continue;
    }
    groups.add(group);
    join(group, host);
    for (const { ip, mac } of host.addresses) {
      if (mac !== null) byMac.set(mac, group);
      byIp.set(ip, group);
    }
  }
  return [...groups].map(seenOf);
}

/** Sightings of one host as one. @param hosts at least one */
export function together(hosts: readonly [SeenHost, ...SeenHost[]]): SeenHost {
  const group = newGroup(hosts[0]);
  for (const host of hosts) join(group, host);
  return seenOf(group);
}

/** True when two MAC addresses may be those of one interface: they are equal, or one is not known. */
export function agree(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

function groupOf(
  { addresses }: SeenHost,
  byMac: ReadonlyMap<string, Group>,
  byIp: ReadonlyMap<string, Group>,
): Group | undefined {
  for (const { mac } of addresses) {
    const group = mac === null ? undefined : byMac.get(mac);
    if (group !== undefined) return group;
  }
  return addresses
    .map(({ ip, mac }) => ({ group: byIp.get(ip), ip, mac }))
    .find(({ group, ip, mac }) => group !== undefined && agree(group.macs.get(ip) ?? null, mac))?.group;
}

function newGroup({ line }: SeenHost): Group {
  return { line, macs: new Map(), hostname: null, vendor: null, ports: [] };
}

function join(group: Group, { addresses, hostname, vendor, ports }: SeenHost): void {
  for (const { ip, mac } of addresses) group.macs.set(ip, group.macs.get(ip) ?? mac);
  group.hostname ??= hostname;
  group.vendor ??= vendor;
  for (const port of ports) group.ports.push(port);
}

function seenOf({ macs, ...rest }: Group): SeenHost {
  return { ...rest, addresses: [...macs].map(([ip, mac]) => ({ ip, mac })) };
}
