import type { Interface } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import type { NamedHost } from "../storage/stores/host-names.js";
import { type BareHost, isWithin } from "./bare.rules.js";
import { addressedOf, type Unrecognized, unrecognizedOf } from "./identities.js";
import { createKnownInterfaces, type KnownInterfaces, type Match, matchOf, supersededBy } from "./match.rules.js";
import { together } from "./merge.rules.js";
import { createDistinction, createKnownNames, type Distinct, type KnownNames } from "./names.rules.js";
import type { SeenHost } from "./scan.rules.js";

/** The machine that a file is from, as the request names it. */
export interface Named {
  /** Null when no host has the name. */
  readonly hostId: string | null;
  /** Null when the request names it by its id. */
  readonly hostname: string | null;
}

/** A host of a file, with the host of ours that it is. */
export interface Settled {
  readonly seen: SeenHost;
  readonly distinct: Distinct;
  readonly match: Match | null;
}

type PrefixOf = (subnetId: string) => number;

/** Which host each one of a file is. It is settled for all of them before any is written. */
export interface Recognition {
  /** Interfaces that were there. */
  readonly known: KnownInterfaces;
  /** Interfaces that lose their address. */
  readonly lost: ReadonlySet<string>;
  /** Hosts that have addresses of the file, to which it gives names; null behind the last batch. */
  addressed(batch: number): readonly string[] | null;
  /** Takes in those of them that are no more than their addresses. */
  addBare(hosts: readonly BareHost[]): void;
  /** What else to look for, when interfaces have been taken in; null behind the last batch. */
  unrecognized(batch: number): Unrecognized | null;
  /** Takes in hosts that were found by that. */
  addHosts(hosts: readonly NamedHost[]): void;
  /** With everything that is one host of ours put together. */
  settle(prefixOf: PrefixOf): Settled[];
  /** What a host is as things are by now. */
  match(one: Settled, interfaces: readonly Interface[], named: readonly NamedHost[], prefixOf: PrefixOf): Match | null;
}

/** @param groups the hosts of a file, each of them once @param named the machine that it is from */
export function createRecognition(groups: readonly SeenHost[], named: Named | null): Recognition {
  const known = createKnownInterfaces();
  const names = createKnownNames();
  const distinctOf = createDistinction(groups);
  const bare = createBareHosts();
  const lost = new Set<string>();
  /** Hosts that lose them. */
  const losers = new Set<string>();
  let unrecognized: Unrecognized[] | null = null;
  let addressed: readonly string[][] | null = null;

  function matchWith(
    { seen, distinct }: Omit<Settled, "match">,
    there: KnownInterfaces,
    called: KnownNames,
    prefixOf: PrefixOf,
  ): Match | null {
    const match = matchOf(seen, there, prefixOf, names.withLostMac);
    if (match !== null && !bare.isOnly(seen, match, there)) return match;
    const found = called.named(seen, distinct, losers);
    if (found === null) return match;
    return { hostId: found.id, by: "hostname", ...(match !== null && { joins: match.hostId }) };
  }

  return {
    known,
    lost,
    addressed: (batch) => {
      addressed ??= addressedOf(groups, distinctOf, (host) => matchOf(host, known, () => 0));
      return addressed[batch] ?? null;
    },
    addBare: bare.add,
    unrecognized: (batch) => {
      const matchFor = (host: SeenHost): Match | null => {
        const match = namedMatch(host, named) ?? matchOf(host, known, () => 0);
        return match !== null && bare.isOnly(host, match, known) ? null : match;
      };
      unrecognized ??= unrecognizedOf(groups, distinctOf, matchFor);
      return unrecognized[batch] ?? null;
    },
    addHosts: names.add,
    settle: (prefixOf) => {
      const hosts = groups.map((seen): Settled => {
        const one = { seen, distinct: distinctOf(seen) };
        return { ...one, match: namedMatch(seen, named) ?? matchWith(one, known, names, prefixOf) };
      });
      const settled = joined(hosts);
      for (const { seen, match } of settled)
        for (const { id, host_id } of supersededBy(seen, match?.hostId ?? null, known)) {
          lost.add(id);
          losers.add(host_id);
        }
      return settled;
    },
    match: (one, interfaces, called, prefixOf) =>
      matchWith(one, knownOf(interfaces), createKnownNames(called), prefixOf),
  };
}

/** Hosts that are no more than their addresses. */
function createBareHosts() {
  const hosts = new Map<string, BareHost>();
  return {
    add: (more: readonly BareHost[]): void => {
      for (const host of more) hosts.set(host.id, host);
    },
    /** True where a host is no more than what was seen of it, so that one of its name is the same. */
    isOnly: (seen: SeenHost, { hostId }: Match, { withIp }: KnownInterfaces): boolean => {
      const host = hosts.get(hostId);
      return host !== undefined && isWithin(seen, host, withIp);
    },
  };
}

/** Everything that is one host of ours put together. */
function joined(hosts: readonly Settled[]): Settled[] {
  const byHost = new Map<string, Settled[]>();
  for (const [index, one] of hosts.entries()) putUnder(byHost, one.match?.hostId ?? `new ${index}`, one);
  return [...byHost.values()].map((some) => ({
    ...(some[0] as Settled),
    seen: together(some.map(({ seen }) => seen)),
  }));
}

export function knownOf(interfaces: readonly Interface[]): KnownInterfaces {
  const known = createKnownInterfaces();
  known.add(interfaces);
  return known;
}

function namedMatch({ isNamed }: SeenHost, named: Named | null): Match | null {
  const hostId = named?.hostId ?? null;
  return isNamed === true && hostId !== null ? { hostId, by: "named" } : null;
}
