import type { Interface } from "@nts/shared/contract";
import { agree } from "./merge.js";
import type { SeenHost } from "./scan.js";

/** A host that was there already, and how it was recognized. */
export interface Match {
  readonly hostId: string;
  readonly by: "mac_address" | "ip_address";
}

/**
 * The host that has been seen, among those that have one of its addresses: by MAC address, else by an address, unless the
 * interface is known to have another MAC address than the one that was seen. Of several the one in the smallest subnet
 * counts, then the oldest.
 *
 * @param known interfaces of the network that have one of the MAC or IP addresses
 * @param prefixOf bits of the prefix of a subnet
 */
export function matchOf(
  seen: SeenHost,
  known: readonly Interface[],
  prefixOf: (subnetId: string) => number,
): Match | null {
  const macs = new Set(seen.addresses.flatMap(({ mac }) => (mac === null ? [] : [mac])));
  const macOf = new Map(seen.addresses.map(({ ip, mac }) => [ip, mac]));
  const hasIp = (one: Interface): boolean => macOf.has(one.ip_address);

  const sameMac = known.filter(({ mac_address }) => mac_address !== null && macs.has(mac_address));
  const sameIp = known.filter((one) => hasIp(one) && agree(one.mac_address, macOf.get(one.ip_address) ?? null));
  const rank = (one: Interface): [number, number, string] => [
    hasIp(one) ? 0 : 1,
    -prefixOf(one.subnet_id),
    one.host_id,
  ];
  for (const [by, found] of [["mac_address", sameMac] as const, ["ip_address", sameIp] as const]) {
    const [best] = found.map((one) => ({ one, rank: rank(one) })).sort((a, b) => compare(a.rank, b.rank));
    if (best !== undefined) return { hostId: best.one.host_id, by };
  }
  return null;
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  if (index === -1) return 0;
  return (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}
