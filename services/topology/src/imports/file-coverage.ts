import type { Identities } from "../storage/stores/interfaces.js";
import { parseAddress } from "../values/addresses.js";
import { type Coverage, COVERS_NOTHING, isWithin } from "./coverage.rules.js";
import { agree } from "./merge.rules.js";
import type { PlannedHost, Recognized } from "./plan.rules.js";
import type { Scan, SeenAddress, SeenHost } from "./scan.rules.js";
import { type HostSighting, sightingOf } from "./sightings.rules.js";

/** Maximum identities per query. */
const BATCH = 500;

/** The coverage, as far as it leaves the thread. */
export interface Covered extends Pick<Coverage, "addresses" | "reported"> {
  /** Number of batches of identities reported as absent. */
  readonly absentBatches: number;
}

/** Whether the file covers an interface and found nothing, or another machine, at its address. */
export type Presence = "absent" | "lost" | "unknown";

/** What a file reports as present and absent. */
export interface FileCoverage {
  /** Null for a file without observations. */
  readonly covered: Covered | null;
  /** Found and missed entities of a host; null for such a file. */
  of(seen: SeenHost, plan: PlannedHost, known: Recognized | null): HostSighting | null;
  presenceOf(interface_: SeenAddress & { readonly id: string }): Presence;
  /** Identities that the file reports as absent. */
  absentIdentities(batch: number): Identities;
}

interface Given {
  readonly format: string;
  readonly nowMs: number;
  /** Interfaces that lose their address. */
  readonly lost: ReadonlySet<string>;
}

export function createFileCoverage({ coverage, hosts }: Scan, { format, nowMs, lost }: Given): FileCoverage {
  const { addresses, absent, mentioned, reported } = coverage ?? COVERS_NOTHING;
  const found = new Set(hosts.flatMap((host) => host.addresses.map(({ ip }) => ip)));
  const named = new Map(absent.map((one) => [one.ip, one]));
  const isAbsent = ({ ip, mac }: SeenAddress): boolean => {
    if (found.has(ip) || mentioned.has(ip)) return false;
    const one = named.get(ip);
    return (one !== undefined && agree(one.mac, mac)) || isWithin(addresses, parseAddress(ip).key);
  };
  const sighted = {
    by: format,
    atMs: nowMs,
    lost,
    isAbsent: (ip: string) => isAbsent({ ip, mac: null }),
  };
  return {
    covered: coverage === null ? null : { addresses, reported, absentBatches: Math.ceil(absent.length / BATCH) },
    of: (seen, plan, known) => (coverage === null ? null : sightingOf(seen, plan, known, sighted)),
    presenceOf: (one) => (lost.has(one.id) ? "lost" : isAbsent(one) ? "absent" : "unknown"),
    absentIdentities: (batch) => ({
      macAddresses: [],
      ipAddresses: absent.slice(batch * BATCH, (batch + 1) * BATCH).map(({ ip }) => ip),
    }),
  };
}
