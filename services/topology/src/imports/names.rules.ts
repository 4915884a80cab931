import { putUnder } from "@nts/shared/groups";
import type { NamedHost } from "../storage/stores/host-names.js";
import { compareNames, hostLabel } from "../values/host-names.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Recognition without a matching interface: by a lost MAC address, or by hostname. A name identifies at most one host,
// and only if not both sighting and host have addresses.

/** Whether a name is unique within its file. */
export type Distinct = "label" | "name" | "no";

/** Hosts by identities other than addresses. */
export interface KnownNames {
  add(hosts: readonly NamedHost[]): void;
  /** The oldest host that has lost the MAC address. */
  withLostMac(mac: string): NamedHost | null;
  /**
   * The only host with the sighting's name, unless addresses contradict.
   *
   * @param losers hosts that lose addresses in the same import
   */
  named(seen: SeenHost, distinct: Distinct, losers: ReadonlySet<string>): NamedHost | null;
  /** The only host with the name. */
  called(name: string): NamedHost | null;
}

export function createKnownNames(hosts: readonly NamedHost[] = []): KnownNames {
  const ids = new Set<string>();
  const byLabel = new Map<string, NamedHost[]>();
  const byMac = new Map<string, NamedHost>();
  const add = (more: readonly NamedHost[]): void => {
    for (const host of more) {
      if (ids.has(host.id)) continue;
      ids.add(host.id);
      const label = hostLabel(host.hostname);
      if (label !== null) putUnder(byLabel, label, host);
      for (const mac of host.lostMacs) {
        const other = byMac.get(mac);
        if (other === undefined || host.id < other.id) byMac.set(mac, host);
      }
    }
  };
  add(hosts);
  return {
    add,
    withLostMac: (mac) => byMac.get(mac) ?? null,
    called: (name) => onlyLike(byLabel.get(hostLabel(name) ?? "") ?? [], name, "maybe"),
    named: (seen, distinct, losers) => {
      const { hostname } = seen;
      const label = hostLabel(hostname);
      if (distinct === "no" || hostname === null || label === null) return null;
      const only = onlyLike(byLabel.get(label) ?? [], hostname, distinct === "name" ? "same" : "maybe");
      return only === null || isContradicted(seen, only, losers) ? null : only;
    },
  };
}

/** The only one of some hosts with a name. @param least how alike names must be, if none is equal */
function onlyLike(hosts: readonly NamedHost[], name: string, least: "same" | "maybe"): NamedHost | null {
  const like = (how: "same" | "maybe"): NamedHost[] =>
    hosts.filter(({ hostname }) => compareNames(hostname ?? "", name) === how);
  const same = like("same");
  const [only, another] = same.length > 0 || least === "same" ? same : like("maybe");
  return only === undefined || another !== undefined ? null : only;
}

/** Whether a host has addresses, but none of the sighting's. */
function isContradicted({ addresses, cards = [] }: SeenHost, host: NamedHost, losers: ReadonlySet<string>): boolean {
  // It would have been recognized by one of its cards.
  if (cards.length > 0 && host.lostMacs.length > 0) return true;
  if (addresses.length === 0) return false;
  return (
    host.hasInterfaces || losers.has(host.id) || (host.lostMacs.length > 0 && addresses.some(({ mac }) => mac !== null))
  );
}

/** For each name of a file, whether it is unique. */
export function createDistinction(hosts: readonly SeenHost[]): (host: SeenHost) => Distinct {
  const names = new Map<string, number>();
  const labels = new Map<string, number>();
  const nameOf = (hostname: string): string => hostname.toLowerCase();
  for (const { hostname } of hosts) {
    const label = hostLabel(hostname);
    if (hostname === null || label === null) continue;
    names.set(nameOf(hostname), (names.get(nameOf(hostname)) ?? 0) + 1);
    labels.set(label, (labels.get(label) ?? 0) + 1);
  }
  return ({ hostname }) => {
    const label = hostLabel(hostname);
    if (hostname === null || label === null || (names.get(nameOf(hostname)) ?? 0) > 1) return "no";
    return (labels.get(label) ?? 0) > 1 ? "name" : "label";
  };
}
