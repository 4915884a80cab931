import type { Dependency, SkippedPart, Subnet } from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { MARK_KINDS } from "@nts/shared/contract/marks.rules";
import { putUnder } from "@nts/shared/groups";
import { newId } from "@nts/shared/ids";
import type { Stored } from "../storage/entities.js";
import type { MarkedHost } from "../storage/stores/host-marks.js";
import type { NamedHost } from "../storage/stores/host-names.js";
import type { Identities } from "../storage/stores/interfaces.js";
import type { NewHost } from "../hosts/new-host.js";
import { hostLabel } from "../values/host-names.rules.js";
import { vendorOf } from "../values/vendors.js";
import { resultOf, type HostResult } from "./result.rules.js";
import type { BareHost } from "./bare.rules.js";
import { NOTHING_LEFT_OUT } from "./connections.rules.js";
import { type PlaceAt, planDependencies, type PlannedDependencies } from "./dependencies.rules.js";
import {
  type AskedConnections,
  type ConnectedHosts,
  createConnectedHosts,
  type KnownPlace,
  SEVERAL_HOSTS,
  UNKNOWN_HOST,
} from "./known-places.js";
import type { Makers } from "./makers.rules.js";
import { type KnownInterface, type KnownInterfaces, type Match, supersededBy } from "./match.rules.js";
import { identitiesIn, identitiesOf, keysOf, type Marked, type Unrecognized } from "./identities.js";
import { sharedMarks } from "./marks.rules.js";
import { mergeSeen } from "./merge.rules.js";
import { hostWith } from "./packed-hosts.rules.js";
import { createRecognition, knownOf, type NamedMachine, type Recognition, type Settled } from "./recognition.js";
import { type Given, readFile, readText } from "./readers/readers.js";
import { reasonAgainst } from "./readers/texts.js";
import { type CoverageLimit, limitedCoverage } from "./limited-coverage.js";
import { createPlaces, type Places } from "./places.js";
import { newHostOf, type SubnetPlace, planHost, type PlannedHost, type Recognized } from "./plan.rules.js";
import {
  MOST_NEW_SUBNETS,
  RESPONSE_LIMITS,
  type Scan,
  type SeenAddress,
  type SeenHost,
  type Skipped,
} from "./scan.rules.js";
import { type Covered, createFileCoverage, type Presence, type FileCoverage } from "./file-coverage.js";
import type { HostSighting } from "./sightings.rules.js";
import { factsOfHost, type HostFacts } from "./wiring/machines.js";
import { createWiringSession, type WiringSession } from "./wiring/wiring-session.js";

// The part of an import without database access: it is given the existing state and returns what to do. It runs in its
// own thread (`thread.ts`), so all inputs and outputs can be copied.

/** Hosts looked up together. */
const BATCH_HOSTS = 200;
/** Addresses and ports of hosts planned together. */
const BATCH_PARTS = 2_000;

/** A port, its service and its binding. */
const DOCUMENTS_OF_PORT = 3;

export interface ReadFile extends Pick<Scan, "info" | "brokeOff" | "columns"> {
  readonly format: string;
  /** Its coverage; null for a file without observations. */
  readonly covered: Covered | null;
  /** Number of identity batches to look up. */
  readonly batches: number;
  /** Number of devices that say how they are connected. */
  readonly devices: number;
}

/** A plan with found and missed entities; null for a file without observations. */
export interface SightedPlan extends PlannedHost {
  readonly sighting: HostSighting | null;
}

/** A planned host that is new, and takes nothing from others. */
export interface PlannedCreation {
  readonly index: number;
  readonly made: NewHost;
  /** Of these, what the file has found. */
  readonly found: readonly string[];
  readonly result: HostResult;
}

/** What is written of an existing host, and its result. */
export interface PlannedUpdate extends Pick<
  PlannedHost,
  "before" | "entity" | "interfaces" | "ports" | "services" | "matchedBy"
> {
  readonly index: number;
  readonly result: HostResult;
}

/** A host to be imported. */
export interface Job {
  readonly index: number;
  readonly line: number;
  /** How many documents it takes if it is new, approximately. */
  readonly documents: number;
  /** Its name for display while nothing else is known. */
  readonly name: string;
  readonly hostname: string | null;
  readonly identities: Identities;
  /** CIDRs of its subnets. */
  readonly subnets: readonly string[];
  readonly match: Match | null;
  /** Other hosts that lose addresses to it. */
  readonly losers: readonly string[];
  /** Lookup by name for a new host; null if it has no unique name. */
  readonly label: string | null;
  /** Lookup by serial numbers and the like. */
  readonly marks: readonly string[];
  /** Set if the request names it; otherwise null. */
  readonly named: NamedMachine | null;
}

/** The request's parameters for a file. */
export interface FileGiven extends Given {
  readonly networkId: string;
  readonly hints: readonly string[];
  readonly named: NamedMachine | null;
  /** Ids of managed tags by their names in lower case. */
  readonly tags?: ReadonlyMap<string, string>;
  /** What it may cover; absent for all that it says. */
  readonly coverage?: CoverageLimit;
}

export interface Moment {
  readonly now: string;
  /** The current host; null if it is new. */
  readonly known: Recognized | null;
  /** Interfaces with an address of the host, if read again. */
  readonly interfaces: readonly KnownInterface[] | null;
  /** True if nothing will be written: new entities get no real ids, which would take a tenth of the time. */
  readonly isDry?: boolean;
}

/** The result for a host; null if something must be written first. Or why there is no plan. */
export type Outcome = { readonly result: HostResult | null } | { readonly refusal: Pick<AppError, "code" | "params"> };

export interface Session extends WiringSession {
  /**
   * Reads the file.
   *
   * @param file its blocks, which are let go, or pieces of a text in UTF-8 @throws AppError `validation_failed`
   */
  read(file: Uint8Array[] | Generator<Uint8Array>, given: FileGiven): ReadFile;
  identities(batch: number): Identities;
  /** Records interfaces that match identities of the file. */
  recognize(interfaces: readonly KnownInterface[]): void;
  /** Hosts with addresses to which the file gives names; null after the last batch. */
  addressed(batch: number): readonly string[] | null;
  /** Records which of them are bare. */
  recognizeBare(hosts: readonly BareHost[]): void;
  /** What is looked up of serial numbers and the like; null after the last batch. */
  marked(batch: number): Marked | null;
  /** Records hosts found by these. */
  recognizeMarked(hosts: readonly MarkedHost[]): void;
  /** Further identities of hosts without matching interface; null after the last batch. */
  unrecognized(batch: number): Unrecognized | null;
  /** Records hosts found by these. */
  recognizeHosts(hosts: readonly NamedHost[]): void;
  /**
   * Completes recognition. @returns the required subnets
   * @throws AppError `too_many_subnets`
   */
  settle(subnets: readonly Subnet[]): { subnets: SubnetPlace[]; jobs: number };
  /** A batch of hosts in file order. */
  jobs(from: number): Job[];
  /** Once all hosts are done: a machine with connections; null after the last one. */
  connections(at: number): AskedConnections | null;
  /**
   * What becomes of its connections.
   *
   * @param there the dependencies of the machine @param places the hosts at the addresses that it asks for
   */
  dependencies(
    at: number,
    given: {
      readonly now: string;
      readonly isDry: boolean;
      readonly there: readonly Stored<Dependency>[];
      readonly places: readonly KnownPlace[];
    },
  ): PlannedDependencies;
  /** The current host of a job; null if it is new. */
  match(index: number, interfaces: readonly KnownInterface[], named: readonly NamedHost[]): Match | null;
  /** @throws AppError `binding_conflict` */
  plan(index: number, moment: Moment): SightedPlan;
  /** Plans several recognized hosts; only results leave the thread, as plans are large. */
  planAll(
    hosts: readonly { readonly index: number; readonly known: Recognized | null }[],
    /** `names` of hosts that lose addresses, by id. */
    given: { readonly now: string; readonly isDry: boolean; readonly names: ReadonlyMap<string, string> },
  ): Outcome[];
  /**
   * Plans hosts that are written together.
   *
   * @param there the interfaces with one of their addresses, and the hosts with one of their names
   * @returns those that are new and take nothing from others, and the matches of those that exist by now
   */
  planNew(
    indexes: readonly number[],
    there: {
      readonly now: string;
      readonly interfaces: readonly KnownInterface[];
      readonly named: readonly NamedHost[];
    },
  ): { readonly created: readonly PlannedCreation[]; readonly matches: ReadonlyMap<number, Match> };
  /**
   * Plans existing hosts that are written together.
   *
   * @param interfaces those with one of their addresses
   * @returns those that take nothing from others
   */
  planUpdates(
    hosts: readonly { readonly index: number; readonly known: Recognized }[],
    there: { readonly now: string; readonly interfaces: readonly KnownInterface[] },
  ): readonly PlannedUpdate[];
  subnetMade(cidr: string, id: string): void;
  /** Identities that the file reports as absent. */
  absentIdentities(batch: number): Identities;
  /** The file's findings for some interfaces. */
  presenceOf(interfaces: readonly (SeenAddress & { readonly id: string })[]): Presence[];
  /** The skipped parts of the file. */
  leftOut(): Pick<Scan, "unanswered"> & { readonly listed: readonly SkippedPart[]; readonly count: number };
}

export function createSession(make: Makers): Session {
  let scan: Scan;
  let given: FileGiven;
  let batches: Identities[];
  let places: Places;
  let settled: readonly Settled[];
  let recognition: Recognition;
  let shared: ReadonlySet<string>;
  let connected: ConnectedHosts;
  let coverage: FileCoverage;
  let by = "";
  const seenOf = (index: number): SeenHost => (settled[index] as Settled).seen;
  /** Hosts as they are planned, for links. */
  const facts = new Map<number, HostFacts>();
  let wiring: WiringSession;
  /** Ids of planned hosts by their names. */
  const idOf = new Map<string, string>();
  /** By host, MAC addresses at addresses that keep another one. */
  const otherCards = new Map<string, readonly string[]>();
  /** Plans of new hosts, made ahead; of a dry run, their results, which are a quarter as large. */
  const ahead = new Map<number, SightedPlan>();
  const resultsAhead = new Map<number, HostResult>();
  const runnerOf = (name: string): string | null => idOf.get(name.toLowerCase()) ?? recognition.called(name);

  function plan(index: number, moment: Moment): SightedPlan {
    const seen = seenOf(index);
    const there = moment.interfaces === null ? recognition.known : knownOf(moment.interfaces);
    const planned = planHost(seen, moment.known, {
      networkId: given.networkId,
      now: moment.now,
      by,
      newId: moment.isDry === true ? nextNumber : newId,
      make,
      placeOf: places.of,
      cidrOf: places.cidrOf,
      runnerOf,
      vendorOf,
      namesakeOf: (name) => recognition.called(name),
      tagOf: (name) => given.tags?.get(name.toLowerCase()) ?? name,
      superseded: supersededBy(seen, moment.known?.host.entity.id ?? null, there),
      lost: recognition.lost,
      doubts: (settled[index] as Settled).doubts,
    });
    if (seen.hostname !== null) idOf.set(seen.hostname.toLowerCase(), planned.entity.id);
    connected.planned(index, planned, moment.known);
    const others = otherCardsOf(seen, planned);
    if (others.length > 0) otherCards.set(planned.entity.id, others);
    if (scan.devices !== undefined || (seen.cards ?? []).length > 0) facts.set(index, factsOfHost(planned.entity));
    // A list of devices has not seen them.
    return { sighting: seen.isOnlyKnown === true ? null : coverage.of(seen, planned, moment.known), ...planned };
  }

  /**
   * Plans as many hosts as these behind them, once this is returned: the caller uses that time. Only those that are new so far;
   * whether they still are is decided when they are written.
   */
  function planAhead(indexes: readonly number[], moment: Pick<Moment, "now" | "isDry">): void {
    const from = (indexes.at(-1) ?? 0) + 1;
    setImmediate(() => {
      planSome(from, indexes.length, moment);
    });
  }

  function planSome(from: number, count: number, moment: Pick<Moment, "now" | "isDry">): void {
    for (const [at, { seen, match }] of settled.slice(from, from + count).entries()) {
      const index = from + at;
      // What a host runs on is certain when that is written.
      const isUncertain = seen.isNamed === true || (seen.virtualization?.runner ?? null) !== null;
      if (match !== null || isUncertain || ahead.has(index) || resultsAhead.has(index)) continue;
      const planned = attempted(() => plan(index, { known: null, interfaces: [], ...moment }));
      if (planned instanceof AppError) continue;
      if (moment.isDry === true) resultsAhead.set(index, resultOf(planned, new Map(), true));
      else ahead.set(index, planned);
    }
  }

  /** Takes what was made ahead; null if there is nothing, or the host takes something from others. */
  function taken<T>(made: Map<number, T>, index: number, there: KnownInterfaces): T | null {
    const one = made.get(index) ?? null;
    made.delete(index);
    return one === null || supersededBy(seenOf(index), null, there).length > 0 ? null : one;
  }

  return {
    read: (file, options) => {
      given = options;
      const { format, groups, scan: read } = sightingsIn(file, given);
      by = format;
      // Without the sightings, which are merged by now.
      scan = { ...read, hosts: [] };
      batches = identitiesOf(groups);
      shared = sharedMarks(groups, read.skipped);
      recognition = createRecognition(groups, { format, named: given.named, shared });
      coverage = createFileCoverage(read, { format, nowMs: given.nowMs, lost: recognition.lost });
      const { info, brokeOff, columns } = scan;
      const ofTable = columns === undefined ? {} : { columns };
      return {
        format,
        info,
        brokeOff,
        ...ofTable,
        covered: coverage.covered,
        batches: batches.length,
        devices: scan.devices?.length ?? 0,
      };
    },
    identities: (batch) => batches[batch] as Identities,
    recognize: (interfaces) => recognition.known.add(interfaces),
    addressed: (batch) => recognition.addressed(batch),
    recognizeBare: (hosts) => recognition.addBare(hosts),
    marked: (batch) => recognition.marked(batch),
    recognizeMarked: (hosts) => recognition.addMarked(hosts),
    unrecognized: (batch) => recognition.unrecognized(batch),
    recognizeHosts: (hosts) => recognition.addHosts(hosts),
    settle: (subnets) => {
      places = createPlaces(subnets, given.hints);
      settled = recognition.settle(places.prefixOf).filter((one) => isKnownOrSomewhere(one, scan.skipped));
      connected = createConnectedHosts(settled, scan.skipped);
      wiring = createWiringSession({
        devices: scan.devices ?? [],
        hosts: settled.map(({ seen }) => seen),
        planned: facts,
        newId,
      });
      for (const { seen, match } of settled)
        if (seen.hostname !== null && match !== null) idOf.set(seen.hostname.toLowerCase(), match.hostId);
      return { subnets: placesFor(settled, places), jobs: settled.length };
    },
    jobs: (from) =>
      batchFrom(settled, from).map((one, at) => jobOf(one, from + at, { places, recognition, given, shared })),
    connections: (at) => (at < connected.count ? connected.asked(at) : null),
    dependencies: (at, { now, isDry, there, places: others }) => {
      const machine = connected.of(at);
      if (machine === null) return NO_DEPENDENCIES;
      const elsewhere = placesByAddress(others);
      return planDependencies(machine.seen, {
        ...{ networkId: given.networkId, now, by, atMs: given.nowMs, there, own: machine.own },
        newId: isDry ? nextNumber : newId,
        make: make.dependency,
        placeAt: (ip) => connected.at(ip) ?? elsewhere(ip),
      });
    },
    match: (index, interfaces, called) =>
      recognition.match(settled[index] as Settled, interfaces, called, places.prefixOf),
    planAll: (hosts, { now, isDry, names }) => {
      const indexes = hosts.map(({ index }) => index);
      if (isDry) planAhead(indexes, { now, isDry });
      return hosts.map(({ index, known }) =>
        outcomeOf(() => {
          const result = known === null ? taken(resultsAhead, index, recognition.known) : null;
          return result ?? resultIfKnown(plan(index, { now, known, interfaces: null, isDry }), names, isDry);
        }),
      );
    },
    plan,
    planNew: (indexes, { now, interfaces, named }) => {
      planAhead(indexes, { now });
      const there = knownOf(interfaces);
      const created: PlannedCreation[] = [];
      const matches = new Map<number, Match>();
      for (const index of indexes) {
        const match = recognition.match(settled[index] as Settled, interfaces, named, places.prefixOf);
        const planned = taken(ahead, index, there);
        if (match !== null) matches.set(index, match);
        else created.push(...creationOf(index, () => planned ?? plan(index, { now, known: null, interfaces })));
      }
      return { created, matches };
    },
    planUpdates: (hosts, { now, interfaces }) =>
      hosts.flatMap(({ index, known }) => updateOf(index, () => plan(index, { now, known, interfaces }))),
    subnetMade: (cidr, id) => places.made(cidr, id),
    absentIdentities: (batch) => coverage.absentIdentities(batch),
    presenceOf: (interfaces) => interfaces.map(coverage.presenceOf),
    wiredMacs: (batch) => wiring.wiredMacs(batch),
    recognizeWired: (interfaces, hosts) => {
      wiring.recognizeWired(interfaces, hosts);
    },
    cards: () => [...wiring.cards(), ...otherCards],
    wiredHosts: () => wiring.wiredHosts(),
    resolve: (stored) => wiring.resolve(stored),
    planLinks: (there, stored) => wiring.planLinks(there, stored),
    factsOfNew: () => wiring.factsOfNew(),
    leftOut: () => ({ listed: scan.skipped.listed, count: scan.skipped.count(), unanswered: scan.unanswered }),
  };
}

/** Whether a host is at an address, or exists; others are listed. */
function isKnownOrSomewhere({ seen, match }: Settled, skipped: Pick<Skipped, "add">): boolean {
  if (seen.isOnlyKnown !== true || match !== null) return true;
  const what = seen.name ?? seen.hostname ?? "a machine without a name";
  skipped.add(seen.line, what, "it has no address, and no host here has its MAC address, serial number or host name");
  return false;
}

/**
 * The MAC addresses of a machine that is recognized by its serial number and the like, where the interface keeps another one: that of a
 * laptop on Wi-Fi at the address that it has on cable. By these it is recognized the next time.
 */
function otherCardsOf({ addresses }: SeenHost, { matchedBy, interfaces }: PlannedHost): readonly string[] {
  if (!MARK_KINDS.some((kind) => kind === matchedBy)) return [];
  const macAt = new Map(interfaces.map(({ entity }) => [entity.ip_address, entity.mac_address]));
  return addresses.flatMap(({ ip, mac }) => (mac === null || macAt.get(ip) === mac || !macAt.has(ip) ? [] : mac));
}

const NO_DEPENDENCIES: PlannedDependencies = { planned: [], missed: [], notMade: NOTHING_LEFT_OUT, skipped: [] };

function placesByAddress(places: readonly KnownPlace[]): PlaceAt {
  const found = new Map<string, KnownPlace[]>();
  for (const place of places) for (const ip of place.interfaceOf.keys()) putUnder(found, ip, place);
  return (ip) => {
    const [first, another] = found.get(ip) ?? [];
    if (first === undefined) return UNKNOWN_HOST;
    return another === undefined ? { ...first, isNew: false } : SEVERAL_HOSTS;
  };
}

let numbers = 0;

function nextNumber(): string {
  return String(++numbers);
}

/** The parsed file, with each host once. @throws AppError `validation_failed` */
function sightingsIn(file: Uint8Array[] | Generator<Uint8Array>, given: FileGiven) {
  const { format, scan: read } = Array.isArray(file) ? readFile(file, given) : readText(file, given);
  const { coverage: limit } = given;
  const scan = limit === undefined ? read : { ...read, coverage: limitedCoverage(read.coverage, limit, read.skipped) };
  if (scan.hosts.some(({ isNamed }) => isNamed === true)) requireNamed(given.named);
  const hosts = scan.hosts.flatMap((host) => reachable(withName(host, given.named), scan.skipped) ?? []);
  const { limits = RESPONSE_LIMITS } = given;
  return { format, scan, groups: mergeSeen(hosts, scan.skipped, { isOwnCards: format === "dhcp-leases", limits }) };
}

/** The result of a plan; null if something must be written first. */
function resultIfKnown(plan: SightedPlan, names: ReadonlyMap<string, string>, isDry: boolean): HostResult | null {
  return isDry || plan.action === "unchanged" ? resultOf(plan, names, isDry) : null;
}

const NOTHING_FOUND: HostSighting["found"] = { hosts: [], interfaces: [], ports: [], services: [] };

/** A plan as what is written; nothing if the host must be written alone, which says why. */
function creationOf(index: number, planned: () => SightedPlan): PlannedCreation[] {
  const outcome = attempted(planned);
  if (outcome instanceof AppError || outcome.superseded.length > 0) return [];
  const { sighting } = outcome;
  // What is found is inserted as such.
  const missed = sighting === null ? null : { missed: sighting.missed, found: NOTHING_FOUND };
  return [
    {
      index,
      made: newHostOf(outcome),
      found: Object.values(sighting?.found ?? {}).flat(),
      result: resultOf({ ...outcome, sighting: missed }, new Map(), false),
    },
  ];
}

/** A plan as what is written; nothing if the host must be written alone, which says why. */
function updateOf(index: number, planned: () => SightedPlan): PlannedUpdate[] {
  const outcome = attempted(planned);
  if (outcome instanceof AppError || outcome.superseded.length > 0 || outcome.joins !== null) return [];
  const { before, entity, interfaces, ports, services, matchedBy } = outcome;
  const result = resultOf(outcome, new Map(), false);
  return [{ index, before, entity, interfaces, ports, services, matchedBy, result }];
}

function attempted<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A result, or why there is none. */
function outcomeOf(resultOfPlan: () => HostResult | null): Outcome {
  const result = attempted(resultOfPlan);
  return result instanceof AppError ? { refusal: { code: result.code, params: result.params } } : { result };
}

/** The subnets of the hosts' addresses. @throws AppError `too_many_subnets` */
function placesFor(settled: readonly Settled[], places: Places): SubnetPlace[] {
  for (const { seen } of settled) for (const { ip } of seen.addresses) places.of(ip);
  const requested = places.requested();
  const planned = requested.filter(({ id }) => id === null).length;
  if (planned > MOST_NEW_SUBNETS) throw new AppError("too_many_subnets", { planned, limit: MOST_NEW_SUBNETS });
  return requested;
}

/** Batches of hosts of bounded total size. */
function batchFrom(settled: readonly Settled[], from: number): Settled[] {
  let parts = 0;
  const isWithin = ({ seen }: Settled, at: number): boolean => {
    parts += seen.addresses.length + seen.ports.length;
    return at === 0 || parts <= BATCH_PARTS;
  };
  const next = settled.slice(from, from + BATCH_HOSTS);
  const end = next.findIndex((one, at) => !isWithin(one, at));
  return end === -1 ? next : next.slice(0, end);
}

interface OfJobs {
  readonly places: Places;
  readonly recognition: Pick<Recognition, "known">;
  readonly given: FileGiven;
  readonly shared: ReadonlySet<string>;
}

function jobOf({ seen, distinct, match }: Settled, index: number, { places, recognition, given, shared }: OfJobs): Job {
  return {
    index,
    line: seen.line,
    documents: 1 + seen.addresses.length + DOCUMENTS_OF_PORT * seen.ports.length,
    name: seen.name ?? seen.hostname ?? seen.addresses[0]?.ip ?? "",
    hostname: seen.hostname,
    identities: identitiesIn([seen]),
    subnets: [...new Set(seen.addresses.map(({ ip }) => places.of(ip).cidr))],
    match,
    losers: [...new Set(supersededBy(seen, match?.hostId ?? null, recognition.known).map(({ host_id }) => host_id))],
    marks: match === null ? keysOf(seen, shared) : [],
    label: distinct === "no" || (match !== null && match.by !== "hostname") ? null : hostLabel(seen.hostname),
    named: seen.isNamed === true ? given.named : null,
  };
}

/** @throws AppError `validation_failed` if the request does not name the machine that produced the file */
function requireNamed(named: NamedMachine | null): void {
  if (named !== null) return;
  throw validationFailed({
    path: "hostname",
    message: "is required unless host_id is given: the file does not identify its machine",
  });
}

/** A host without loopback and link-local addresses, which many machines have; null if it has no other. */
function reachable(host: SeenHost, skipped: Pick<Skipped, "add">): SeenHost | null {
  const reasons = new Map(host.addresses.map(({ ip }) => [ip, reasonAgainst(ip)]));
  const isReachable = ({ ip }: { readonly ip: string | null }): boolean => ip === null || reasons.get(ip) === null;
  if (host.addresses.every(isReachable)) return host;
  for (const [ip, reason] of reasons) if (reason !== null) skipped.add(host.line, `address ${ip}`, reason);
  const addresses = host.addresses.filter(isReachable);
  if (addresses.length === 0 && host.isNamed !== true) return null;
  return hostWith(host, {
    addresses,
    ports: host.ports.filter(isReachable),
    covered: host.covered?.filter(isReachable) ?? [],
  });
}

function withName(host: SeenHost, named: NamedMachine | null): SeenHost {
  return host.isNamed === true ? hostWith(host, { hostname: named?.hostname ?? null }) : host;
}
