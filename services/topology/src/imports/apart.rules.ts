import type { KnownInterface, KnownInterfaces } from "./match.rules.js";
import { agree } from "./merge.rules.js";
import { hostWith } from "./packed-hosts.rules.js";
import type { SeenAddress, SeenHost } from "./scan.rules.js";

// What people have split is not joined again by the evidence that had joined it, such as a MAC address of a repeater: a
// sighting that has addresses of separated interfaces and of other hosts is divided by these.

/**
 * A sighting, divided by host if people have separated its addresses. The first part keeps everything that is not said of
 * one address, such as the name.
 *
 * @param namedId the host that the request names for the sighting; null if it names none
 */
export function apart(seen: SeenHost, known: KnownInterfaces, namedId: string | null): SeenHost[] {
  const separated = new Set(
    seen.addresses.flatMap((address) =>
      hostsAt(address, known).flatMap((one) => (one.is_separate === true ? one.host_id : [])),
    ),
  );
  separated.delete(namedId ?? "");
  if (separated.size === 0) return [seen];
  const ownerOf = (address: SeenAddress): string | null =>
    hostsAt(address, known).find(({ host_id }) => separated.has(host_id))?.host_id ?? null;
  const addressesOf = new Map<string | null, SeenAddress[]>([...separated].map((id) => [id, []]));
  const others: SeenAddress[] = [];
  for (const address of seen.addresses) (addressesOf.get(ownerOf(address)) ?? others).push(address);
  const isOfAnother = seen.isNamed === true || others.some((address) => isKnown(address, known, separated));
  const [first, ...more] = [...(isOfAnother ? [others] : []), ...addressesOf.values()];
  if (first === undefined || more.length === 0) return [seen];
  const main = isOfAnother ? first : [...first, ...others];
  const elsewhere = new Set(more.flat().map(({ ip }) => ip));
  const isHere = ({ ip }: { readonly ip: string | null }): boolean => ip === null || !elsewhere.has(ip);
  return [
    hostWith(seen, {
      addresses: main,
      ports: seen.ports.filter(isHere),
      covered: (seen.covered ?? []).filter(isHere),
    }),
    ...more.map((addresses) => partOf(seen, addresses)),
  ];
}

/** The interfaces that an address may be. */
function hostsAt({ ip, mac }: SeenAddress, known: KnownInterfaces): KnownInterface[] {
  return known.withIp(ip).filter(({ mac_address }) => agree(mac_address, mac));
}

/** Whether an address, or its MAC address, is of a host that is not separated. */
function isKnown(address: SeenAddress, known: KnownInterfaces, separated: ReadonlySet<string>): boolean {
  const there = [...hostsAt(address, known), ...(address.mac === null ? [] : known.withMac(address.mac))];
  return there.some(({ host_id }) => !separated.has(host_id));
}

/** What a sighting says of some of its addresses alone. */
function partOf({ line, ports, covered = [] }: SeenHost, addresses: readonly SeenAddress[]): SeenHost {
  const own = new Set(addresses.map(({ ip }) => ip));
  const isOwn = ({ ip }: { readonly ip: string | null }): boolean => ip !== null && own.has(ip);
  return { line, addresses, hostname: null, vendor: null, ports: ports.filter(isOwn), covered: covered.filter(isOwn) };
}
