import type { Identities } from "../storage/stores/interfaces.js";
import { hostLabel } from "../values/host-names.rules.js";
import type { Match } from "./match.rules.js";
import type { Distinct } from "./names.rules.js";
import type { SeenHost } from "./scan.rules.js";

// What hosts of a file are recognized by.

/** Of which one query asks for. */
const BATCH_IDENTITIES = 1_000;

export function identitiesIn(hosts: readonly SeenHost[]): Identities {
  const addresses = hosts.flatMap((host) => host.addresses);
  return {
    macAddresses: [...new Set(addresses.flatMap(({ mac }) => mac ?? []))],
    ipAddresses: addresses.map(({ ip }) => ip),
  };
}

/** What the hosts are recognized by, in parts that one query can ask for. */
export function identitiesOf(hosts: readonly SeenHost[]): Identities[] {
  const parts: SeenHost[][] = [];
  let size = BATCH_IDENTITIES;
  for (const host of hosts) {
    size += host.addresses.length;
    const last = parts.at(-1);
    if (last === undefined || size > BATCH_IDENTITIES) {
      parts.push([host]);
      size = host.addresses.length;
    } else last.push(host);
  }
  return parts.map(identitiesIn);
}

/** The hosts that have addresses of the file, to which it gives names, in parts that one query can ask for. */
export function addressedOf(
  hosts: readonly SeenHost[],
  distinctOf: (host: SeenHost) => Distinct,
  matchFor: (host: SeenHost) => Match | null,
): string[][] {
  const named = hosts.filter((host) => host.isNamed !== true && distinctOf(host) !== "no");
  const ids = [...new Set(named.flatMap((host) => matchFor(host)?.hostId ?? []))];
  return Array.from({ length: Math.ceil(ids.length / BATCH_IDENTITIES) }, (_, at) =>
    ids.slice(at * BATCH_IDENTITIES, (at + 1) * BATCH_IDENTITIES),
  );
}

/** What hosts may be known by of which no interface is there. */
export interface Unrecognized {
  readonly macAddresses: readonly string[];
  /** First labels of host names. */
  readonly labels: readonly string[];
}

/** What is left to look for when interfaces have been, in parts that one query can ask for. */
export function unrecognizedOf(
  hosts: readonly SeenHost[],
  distinctOf: (host: SeenHost) => Distinct,
  matchFor: (host: SeenHost) => Match | null,
): Unrecognized[] {
  const macAddresses: string[] = [];
  const labels: string[] = [];
  for (const host of hosts) {
    const match = matchFor(host);
    if (match !== null && match.by !== "ip_address") continue;
    macAddresses.push(...identitiesIn([host]).macAddresses);
    const label = match === null && distinctOf(host) !== "no" ? hostLabel(host.hostname) : null;
    if (label !== null) labels.push(label);
  }
  const wanted = { macAddresses: [...new Set(macAddresses)], labels: [...new Set(labels)] };
  const count = Math.ceil(Math.max(wanted.macAddresses.length, wanted.labels.length) / BATCH_IDENTITIES);
  const part = (all: readonly string[], at: number): string[] => all.slice(at * BATCH_IDENTITIES, (at + 1) * BATCH_IDENTITIES); // prettier-ignore
  return Array.from({ length: count }, (_, at) => ({
    macAddresses: part(wanted.macAddresses, at),
    labels: part(wanted.labels, at),
  }));
}
