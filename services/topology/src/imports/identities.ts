import { chunksOf } from "@nts/shared/groups";
import type { Identities } from "../storage/stores/interfaces.js";
import { hostLabel } from "../values/host-names.rules.js";
import type { Match } from "./match.rules.js";
import type { Distinct } from "./names.rules.js";
import { marksIn } from "./packed-hosts.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Identities by which the hosts of a file are recognized.

/** Maximum per query. */
const BATCH_IDENTITIES = 1_000;
/** Hosts with serial numbers and the like per query, which may find several hosts for each. */
const BATCH_MARKED = 200;

export function identitiesIn(hosts: readonly SeenHost[]): Identities {
  const addresses = hosts.flatMap((host) => host.addresses);
  return {
    macAddresses: [...new Set([...addresses.flatMap(({ mac }) => mac ?? []), ...hosts.flatMap(cardsOf)])],
    ipAddresses: addresses.map(({ ip }) => ip),
  };
}

function cardsOf({ cards = [] }: SeenHost): readonly string[] {
  return cards;
}

/** All identities, in batches for queries. */
export function identitiesOf(hosts: readonly SeenHost[]): Identities[] {
  const parts: SeenHost[][] = [];
  let size = BATCH_IDENTITIES;
  for (const host of hosts) {
    size += host.addresses.length + cardsOf(host).length;
    const last = parts.at(-1);
    if (last === undefined || size > BATCH_IDENTITIES) {
      parts.push([host]);
      size = host.addresses.length + cardsOf(host).length;
    } else last.push(host);
  }
  return parts.map(identitiesIn);
}

/** Hosts with addresses to which the file gives names or serial numbers and the like, in batches for queries. */
export function addressedOf(
  hosts: readonly SeenHost[],
  distinctOf: (host: SeenHost) => Distinct,
  matchFor: (host: SeenHost) => Match | null,
): string[][] {
  const isIdentified = (host: SeenHost): boolean => distinctOf(host) !== "no" || marksIn(host).length > 0;
  const named = hosts.filter((host) => host.isNamed !== true && isIdentified(host));
  const ids = [...new Set(named.flatMap((host) => matchFor(host)?.hostId ?? []))];
  return Array.from({ length: Math.ceil(ids.length / BATCH_IDENTITIES) }, (_, at) =>
    ids.slice(at * BATCH_IDENTITIES, (at + 1) * BATCH_IDENTITIES),
  );
}

/** What the hosts of a file are known by besides their cards. */
export interface Marked {
  readonly keys: readonly string[];
  /** Ids of hosts at their addresses. */
  readonly hostIds: readonly string[];
}

/** These, in batches for queries. */
export function markedOf(
  hosts: readonly SeenHost[],
  shared: ReadonlySet<string>,
  matchFor: (host: SeenHost) => Match | null,
): Marked[] {
  const marked = hosts.filter((host) => host.isNamed !== true && marksIn(host).length > 0);
  return chunksOf(marked, BATCH_MARKED).map((some) => ({
    keys: [...new Set(some.flatMap((host) => keysOf(host, shared)))],
    hostIds: [...new Set(some.flatMap((host) => matchFor(host)?.hostId ?? []))],
  }));
}

/** @param shared keys that identify no machine of the file */
export function keysOf(host: SeenHost, shared: ReadonlySet<string>): string[] {
  return marksIn(host).flatMap(({ key }) => (shared.has(key) ? [] : key));
}

/** Identities of hosts without a matching interface. */
export interface Unrecognized {
  readonly macAddresses: readonly string[];
  /** First labels of hostnames. */
  readonly labels: readonly string[];
}

/** The remaining identities after interfaces have been matched, in batches for queries. */
export function unrecognizedOf(
  hosts: readonly SeenHost[],
  distinctOf: (host: SeenHost) => Distinct,
  matchFor: (host: SeenHost) => Match | null,
): Unrecognized[] {
  const macAddresses: string[] = [];
  const labels: string[] = [];
  for (const { virtualization } of hosts) {
    const runner = hostLabel(virtualization?.runner ?? null);
    if (runner !== null) labels.push(runner);
  }
  for (const host of hosts) {
    const match = matchFor(host);
    if (match !== null && match.by !== "ip_address") continue;
    macAddresses.push(...identitiesIn([host]).macAddresses);
    const label = match === null && distinctOf(host) !== "no" ? hostLabel(host.hostname) : null;
    if (label !== null) labels.push(label);
  }
  const identities = { macAddresses: [...new Set(macAddresses)], labels: [...new Set(labels)] };
  const count = Math.ceil(Math.max(identities.macAddresses.length, identities.labels.length) / BATCH_IDENTITIES);
  const part = (all: readonly string[], at: number): string[] =>
    all.slice(at * BATCH_IDENTITIES, (at + 1) * BATCH_IDENTITIES);
  return Array.from({ length: count }, (_, at) => ({
    macAddresses: part(identities.macAddresses, at),
    labels: part(identities.labels, at),
  }));
}
