import { putUnder } from "@nts/shared/groups";
import type { MarkedHost } from "../storage/stores/host-marks.js";
import type { NamedHost } from "../storage/stores/host-names.js";
import { compareNames, isDefaultName } from "../values/host-names.rules.js";
import { isLocal } from "../values/mac-addresses.rules.js";
import { apart } from "./apart.rules.js";
import { type BareHost, isWithin } from "./bare.rules.js";
import { addressedOf, type Marked, markedOf, type Unrecognized, unrecognizedOf } from "./identities.js";
import { createKnownMarks, type Doubt } from "./marks.rules.js";
import {
  createKnownInterfaces,
  type KnownInterface,
  type KnownInterfaces,
  type Match,
  matchOf,
  supersededBy,
} from "./match.rules.js";
import { together } from "./merge.rules.js";
import { marksIn } from "./packed-hosts.rules.js";
import { createDistinction, createKnownNames, type Distinct, type KnownNames } from "./names.rules.js";
import type { SeenAddress, SeenHost } from "./scan.rules.js";

/** The machine that produced the file, as named by the request. */
export interface NamedMachine {
  /** Null if no host has the name. */
  readonly hostId: string | null;
  /** Null if the request uses its id. */
  readonly hostname: string | null;
}

/** A host of the file with its existing host. */
export interface Settled {
  readonly seen: SeenHost;
  readonly distinct: Distinct;
  readonly match: Match | null;
  /** The host at its address, if another machine of the file is that one. */
  readonly isNot: string | null;
  /** What speaks for other hosts. */
  readonly doubts: readonly Doubt[];
}

type PrefixOf = (subnetId: string) => number;

/** Recognizes the hosts of a file, all before any is written. */
export interface Recognition {
  /** Existing interfaces. */
  readonly known: KnownInterfaces;
  /** Interfaces that lose their address. */
  readonly lost: ReadonlySet<string>;
  /** Hosts with addresses to which the file gives names; null after the last batch. */
  addressed(batch: number): readonly string[] | null;
  /** Records which of them are bare. */
  addBare(hosts: readonly BareHost[]): void;
  /** What is looked up of serial numbers and the like; null after the last batch. */
  marked(batch: number): Marked | null;
  /** Records hosts found by these. */
  addMarked(hosts: readonly MarkedHost[]): void;
  /** Further identities, once interfaces are recorded; null after the last batch. */
  unrecognized(batch: number): Unrecognized | null;
  /** Records hosts found by these. */
  addHosts(hosts: readonly NamedHost[]): void;
  /** The only existing host with a name that the file mentions; null if there is none. */
  called(name: string): string | null;
  /** With everything that belongs to one existing host merged. */
  settle(prefixOf: PrefixOf): readonly Settled[];
  /** Recognizes a host in the current state. */
  match(
    one: Settled,
    interfaces: readonly KnownInterface[],
    named: readonly NamedHost[],
    prefixOf: PrefixOf,
  ): Match | null;
}

/** What is known of a file. */
export interface OfFile {
  readonly format: string;
  /** The machine that produced it. */
  readonly named: NamedMachine | null;
  /** Serial numbers and the like that identify no machine of it. */
  readonly shared: ReadonlySet<string>;
}

/** @param groups the merged hosts of a file */
export function createRecognition(groups: readonly SeenHost[], { format, named, shared }: OfFile): Recognition {
  const known = createKnownInterfaces();
  const names = createKnownNames();
  const distinctOf = createDistinction(groups);
  const bare = createBareHosts();
  const marks = createKnownMarks(format, shared);
  const cards = new Set(groups.flatMap(({ addresses }) => addresses.flatMap(({ mac }) => mac ?? [])));
  const lost = new Set<string>();
  /** Hosts that lose interfaces. */
  const losers = new Set<string>();
  /** The hosts of the file, divided as people have divided them. */
  let parted: readonly SeenHost[] | null = null;
  let unrecognized: Unrecognized[] | null = null;
  let addressed: readonly string[][] | null = null;
  let marked: readonly Marked[] | null = null;

  /** Once existing interfaces are recorded. */
  function hostsInFile(): readonly SeenHost[] {
    parted ??= groups.flatMap((seen) => apart(seen, known, seen.isNamed === true ? (named?.hostId ?? null) : null));
    return parted;
  }

  function matchWith(
    { seen, distinct, isNot }: Pick<Settled, "seen" | "distinct" | "isNot">,
    there: KnownInterfaces,
    called: KnownNames,
    prefixOf: PrefixOf,
  ): Match | null {
    const place = placeOf(seen, there, prefixOf);
    const match = place?.by === "ip_address" && place.hostId === isNot ? null : place;
    const marked = match !== null && isSeparate(seen, match, there) ? null : marks.find(seen, there);
    // A card may move with neither the serial number nor the name, as that of a dock does.
    const isWeaker = match?.by === "mac_address" && !(marked?.by === "serial" && marked.isNamedAlike);
    if (marked !== null && !isWeaker) {
      const isSame = match === null || match.hostId === marked.hostId;
      return isSame || !bare.isOnly(seen, match, there) ? marked : { ...marked, joins: match.hostId };
    }
    if (match !== null && !bare.isOnly(seen, match, there)) return match;
    const found =
      called.named(seen, distinct, losers) ?? (match === null ? withOtherCard(seen, there, called, cards) : null);
    if (found === null) return match;
    return { hostId: found.id, by: "hostname", ...(match !== null && { joins: match.hostId }) };
  }

  /** The host with its MAC address or address, unless that is another machine. */
  function placeOf(seen: SeenHost, there: KnownInterfaces, prefixOf: PrefixOf): Match | null {
    const match = matchOf(seen, there, prefixOf, names.withLostMac);
    return match !== null && marks.otherAt(seen, match) !== null ? null : match;
  }

  return {
    known,
    lost,
    addressed: (batch) => {
      addressed ??= addressedOf(hostsInFile(), distinctOf, (host) => matchOf(host, known, () => 0));
      return addressed[batch] ?? null;
    },
    addBare: bare.add,
    marked: (batch) => {
      marked ??= markedOf(hostsInFile(), shared, (host) => matchOf(host, known, () => 0));
      return marked[batch] ?? null;
    },
    addMarked: marks.add,
    unrecognized: (batch) => {
      const matchFor = (host: SeenHost): Match | null => {
        const match = namedMatch(host, named) ?? placeOf(host, known, () => 0);
        return match !== null && bare.isOnly(host, match, known) ? null : match;
      };
      unrecognized ??= unrecognizedOf(hostsInFile(), distinctOf, matchFor);
      return unrecognized[batch] ?? null;
    },
    addHosts: names.add,
    called: (name) => names.called(name)?.id ?? null,
    settle: (prefixOf) => {
      const hosts = hostsInFile().map((seen): Settled => {
        const one = { seen, distinct: distinctOf(seen), isNot: null };
        const match = namedMatch(seen, named) ?? matchWith(one, known, names, prefixOf);
        const isMarked = marksIn(seen).length > 0;
        return {
          match,
          doubts: isMarked ? marks.doubts(seen, match, matchOf(seen, known, prefixOf, names.withLostMac)) : [],
          ...one,
        };
      });
      const told = toldApart(hosts, (one) => matchWith(one, known, names, prefixOf));
      const settled = withNamesakes(joined(told));
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

/**
 * The host that has the sighting's name and one of its addresses, whose random MAC address is another one by now.
 *
 * @param cards all MAC addresses of the file: a machine that is elsewhere in it is another one
 */
function withOtherCard(
  { hostname, addresses }: SeenHost,
  there: KnownInterfaces,
  called: KnownNames,
  cards: ReadonlySet<string>,
): NamedHost | null {
  const host = hostname === null || isDefaultName(hostname) ? null : called.called(hostname);
  const wasRandom = ({ host_id, mac_address }: KnownInterface): boolean =>
    host_id === host?.id && mac_address !== null && isLocal(mac_address) && !cards.has(mac_address);
  const isAt = ({ ip, mac }: SeenAddress): boolean => mac !== null && isLocal(mac) && there.withIp(ip).some(wasRandom);
  return host !== null && addresses.some(isAt) ? host : null;
}

/** Whether people have split the host from another one. */
function isSeparate({ addresses }: SeenHost, { hostId }: Match, { withIp }: KnownInterfaces): boolean {
  return addresses.some(({ ip }) => withIp(ip).some((one) => one.host_id === hostId && one.is_separate === true));
}

/** Bare hosts. */
function createBareHosts() {
  const hosts = new Map<string, BareHost>();
  return {
    add: (more: readonly BareHost[]): void => {
      for (const host of more) hosts.set(host.id, host);
    },
    /** True if a bare host is included in the sighting, so that one with its name is the same. */
    isOnly: (seen: SeenHost, { hostId }: Match, { withIp }: KnownInterfaces): boolean => {
      const host = hosts.get(hostId);
      return host !== undefined && isWithin(seen, host, withIp);
    },
  };
}

/**
 * A machine at an address of a host is another one, if a machine of the file is recognized as that host by more than an address,
 * and by their names and marks they are two.
 */
function toldApart(hosts: readonly Settled[], matchOfOne: (one: Settled) => Match | null): readonly Settled[] {
  const owners = new Map<string, Settled>();
  for (const one of hosts)
    if (one.match !== null && one.match.by !== "ip_address" && marksIn(one.seen).length > 0)
      owners.set(one.match.hostId, one);
  return hosts.map((one) => {
    const owner = one.match?.by === "ip_address" ? owners.get(one.match.hostId) : undefined;
    if (owner === undefined || !areTwo(one.seen, owner.seen)) return one;
    const told = { ...one, isNot: owner.match?.hostId ?? null };
    return { ...told, match: matchOfOne(told) };
  });
}

/** Whether two machines differ by name, and by the marks of a kind. */
function areTwo(a: SeenHost, b: SeenHost): boolean {
  if (a.hostname === null || b.hostname === null || compareNames(a.hostname, b.hostname) !== "different") return false;
  return marksIn(a).some((mark) => marksIn(b).some(({ kind, key }) => kind === mark.kind && key !== mark.key));
}

/** Merges everything that belongs to one existing host. */
function joined(hosts: readonly Settled[]): Settled[] {
  const byHost = new Map<string, Settled[]>();
  for (const [index, one] of hosts.entries()) putUnder(byHost, one.match?.hostId ?? `new ${index}`, one);
  return [...byHost.values()].map((some) => ({
    ...(some[0] as Settled),
    seen: together(some.map(({ seen }) => seen)),
    doubts: some.flatMap(({ doubts }) => doubts),
  }));
}

/** With what is said of new hosts that have one name. */
function withNamesakes(hosts: readonly Settled[]): readonly Settled[] {
  const names = new Set<string>();
  return hosts.map((one) => {
    const { hostname, addresses } = one.seen;
    if (one.match !== null || hostname === null || addresses.length === 0 || isDefaultName(hostname)) return one;
    const name = hostname.toLowerCase();
    const isFirst = !names.has(name);
    names.add(name);
    const reason = "another machine of the file has it: merge the two if they are one machine";
    return isFirst ? one : { ...one, doubts: [...one.doubts, { what: `host name ${hostname}`, reason }] };
  });
}

export function knownOf(interfaces: readonly KnownInterface[]): KnownInterfaces {
  const known = createKnownInterfaces();
  known.add(interfaces);
  return known;
}

function namedMatch({ isNamed }: SeenHost, named: NamedMachine | null): Match | null {
  const hostId = named?.hostId ?? null;
  return isNamed === true && hostId !== null ? { hostId, by: "named" } : null;
}
