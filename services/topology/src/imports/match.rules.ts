import type { Interface } from "@nts/shared/contract";
import type { MarkKind } from "@nts/shared/contract/marks.rules";
import { putUnder } from "@nts/shared/groups";
import { agree } from "./merge.rules.js";
import type { KnownNames } from "./names.rules.js";
import type { SeenHost } from "./scan.rules.js";

/** How a host was recognized; `named` is the one named by the request. */
export type MatchedBy = "mac_address" | "ip_address" | "hostname" | "named" | MarkKind;

/** A recognized host. */
export interface Match {
  readonly hostId: string;
  readonly by: MatchedBy;
  /** What decided, if the host as it is does not show it: a MAC address without an address, or a mark as the file writes it. */
  readonly value?: string;
  /** A bare host that is the same machine, and is merged into this one. */
  readonly joins?: string;
}

/** What recognizes an interface, and names it; thousands of them are kept in the thread. */
export type KnownInterface = Pick<
  Interface,
  "id" | "name" | "host_id" | "subnet_id" | "ip_address" | "mac_address" | "is_separate"
>;

/** Existing interfaces by their identities. */
export interface KnownInterfaces {
  add(interfaces: readonly KnownInterface[]): void;
  withMac(mac: string): readonly KnownInterface[];
  withIp(ip: string): readonly KnownInterface[];
}

export function createKnownInterfaces(): KnownInterfaces {
  const ids = new Set<string>();
  const byMac = new Map<string, KnownInterface[]>();
  const byIp = new Map<string, KnownInterface[]>();
  return {
    add: (interfaces) => {
      for (const one of interfaces) {
        if (ids.has(one.id)) continue;
        ids.add(one.id);
        if (one.mac_address !== null) putUnder(byMac, one.mac_address, one);
        putUnder(byIp, one.ip_address, one);
      }
    },
    withMac: (mac) => byMac.get(mac) ?? [],
    withIp: (ip) => byIp.get(ip) ?? [],
  };
}

/**
 * Finds the existing host of a sighting: by MAC address (including one it has lost), else by address, unless the
 * interface has another MAC address.
 * Ties: by MAC address, one that also has an address, then the smallest subnet, then the oldest; by address, the
 * smallest subnet, then the latest assignment.
 *
 * @param prefixOf prefix length of a subnet
 * @param withLostMac the host that has lost a MAC address
 */
export function matchOf(
  { addresses, cards = [] }: SeenHost,
  known: KnownInterfaces,
  prefixOf: (subnetId: string) => number,
  withLostMac: KnownNames["withLostMac"] = () => null,
): Match | null {
  const ips = new Set(addresses.map(({ ip }) => ip));
  const macs = new Set([...addresses.flatMap(({ mac }) => mac ?? []), ...cards]);
  const isBetter = (a: KnownInterface, b: KnownInterface): boolean =>
    compare(
      [ips.has(a.ip_address) ? 0 : 1, -prefixOf(a.subnet_id), a.host_id],
      [ips.has(b.ip_address) ? 0 : 1, -prefixOf(b.subnet_id), b.host_id],
    ) < 0;
  const isLater = (a: KnownInterface, b: KnownInterface): boolean =>
    compare([-prefixOf(a.subnet_id), b.id], [-prefixOf(b.subnet_id), a.id]) < 0;

  const byMac = best(
    [...macs].flatMap((mac) => known.withMac(mac)),
    isBetter,
  );
  if (byMac !== null) return { hostId: byMac.host_id, by: "mac_address" };
  for (const mac of macs) {
    const lost = withLostMac(mac);
    if (lost !== null) return { hostId: lost.id, by: "mac_address", value: mac };
  }
  const sameIp = addresses.flatMap(({ ip, mac }) => known.withIp(ip).filter((one) => agree(one.mac_address, mac)));
  const byIp = best(sameIp, isLater);
  return byIp === null ? null : { hostId: byIp.host_id, by: "ip_address" };
}

/**
 * Interfaces of other hosts that lose their address, because it is new at this host or seen with another MAC address.
 *
 * @param hostId the sighted host; null if it is new
 */
export function supersededBy({ addresses }: SeenHost, hostId: string | null, known: KnownInterfaces): KnownInterface[] {
  return addresses.flatMap(({ ip, mac }) => {
    const there = known.withIp(ip);
    const isNew = !there.some(({ host_id }) => host_id === hostId);
    return there.filter(
      ({ host_id, mac_address }) => host_id !== hostId && (isNew || (mac !== null && mac_address !== mac)),
    );
  });
}

function best(
  interfaces: readonly KnownInterface[],
  isBetter: (a: KnownInterface, b: KnownInterface) => boolean,
): KnownInterface | null {
  let found: KnownInterface | null = null;
  for (const one of interfaces) if (found === null || isBetter(one, found)) found = one;
  return found;
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  if (index === -1) return 0;
  return (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}
