import type { ClientSession } from "mongodb";
import type { Interface, Link, Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import { parseBlock } from "../values/addresses.js";
import type { Changes } from "../commit/changes.rules.js";
import { newHosts } from "../commit/create.js";
import { transactionOnHosts } from "../commit/on-hosts.js";
import { store } from "../commit/store.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { type ChangesOf, changesOf, type Next } from "../storage/changes.rules.js";
import type { Entity } from "../storage/entities.js";
import { firstSighting } from "../storage/sightings.js";
import type { Storage } from "../storage/storage.js";
import type { NamedHost } from "../storage/stores/host-names.js";
import type { Match } from "./match.rules.js";
import { newHostOf, type Planned, type PlannedHost, type Recognized, recognizedAs } from "./plan.rules.js";
import { documentsOf } from "./batch-size.js";
import { matchedIn, recognizedFor } from "./outcomes.js";
import { join, retire } from "./retire.js";
import type { HostResult } from "./result.rules.js";
import type { Job, SightedPlan } from "./session.js";
import { hostsNamed, knownHost } from "./store.js";
import type { Remote } from "./thread.js";
import { subnetKind } from "../kinds/subnet.js";

// Each transaction first locks one shard of the network's guards, the same for all imports, and looks for its hosts again,
// so that no host is created twice. All its guard writes stay in this shard, so that other writers use the others.

/** The shard of imports. */
const SHARD = 0;

/** The network being written. */
export interface Target {
  readonly work: Work;
  /** Limited to the network. */
  readonly scope: Scope;
  readonly networkId: string;
}

/** The outcome for a host. */
export interface Applied {
  readonly plan: SightedPlan;
  /** Names of hosts that lost addresses to it, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** An existing or created subnet. */
export interface MadeSubnet {
  readonly id: string;
  readonly cidr: string;
  readonly isNew: boolean;
}

/**
 * Finds or creates a host, adds what is missing, and takes over addresses of other hosts.
 *
 * @throws AppError as other writes of hosts
 */
export async function applyHost(storage: Storage, given: Target, session: Remote, job: Job): Promise<Applied> {
  const target = { ...given, scope: await storage.deletions.visible(given.scope) };
  const { scope, networkId } = target;
  await storage.quota.require(scope);
  const { index, identities, match: before, losers, label, named, marks } = job;
  const sharded = shardedFor(storage);
  const hostIds = [...(before === null ? [] : [before.hostId]), ...losers].sort();
  return refusingDuplicates(() =>
    transactionOnHosts(storage, { work: target.work, scope, hostIds, keys: importKeys(networkId) }, async (tx) => {
      await lockImports(storage, tx, target);
      const interfaces = await storage.interfaces.findByIdentity(scope, identities, tx);
      if (marks.length > 0) await session.recognizeMarked(await storage.hosts.findByMarks(scope, marks, tx));
      const known =
        (await recognized(storage, tx, scope, before)) ??
        (await recognized(storage, tx, scope, await nameMatch(storage, tx, scope, named))) ??
        (await recognized(
          storage,
          tx,
          scope,
          await session.match(index, interfaces, await namesakes(storage, tx, scope, label)),
        ));
      const now = new Date();
      const plan = await session.plan(index, { now: now.toISOString(), known, interfaces });
      if (plan.action === "unchanged") throw new Discard({ plan, names: new Map<string, string>() });
      const lost = new Set(plan.superseded.map(({ id }) => id));
      const superseded = interfaces.filter(({ id }) => lost.has(id));
      const names = await retire(sharded, tx, target, superseded);
      if (plan.joins !== null) await join(sharded, tx, target, plan.joins);
      if (plan.action === "create") await store(sharded, tx, scope, { changes: newHosts([newHostOf(plan)]) });
      else await storePlans(sharded, tx, target, { plans: [plan], now });
      return { plan, names };
    }),
  );
}

/** What is written of links. */
export interface LinkChanges extends Pick<Changes, "hosts" | "vlans" | "links"> {
  readonly updated?: {
    readonly ids: readonly string[];
    readonly now: Date;
    readonly next: (link: Link) => Link;
  };
}

/** Writes VLANs, or links with unmanaged switches. @throws AppError as other writes of links; then none is written */
export async function storeAsImport(
  storage: Storage,
  given: Target,
  { updated = { ids: [], now: new Date(), next: (link) => link }, ...created }: LinkChanges,
): Promise<void> {
  const target = { ...given, scope: await storage.deletions.visible(given.scope) };
  const { scope, networkId } = target;
  await storage.quota.require(scope);
  const sharded = shardedFor(storage);
  await refusingDuplicates(() =>
    storage.transaction(given.work, importKeys(networkId), async (tx) => {
      await lockImports(storage, tx, target);
      const { ids, now, next } = updated;
      const before = ids.length === 0 ? [] : await storage.links.findMany(scope, { _id: { $in: [...ids] } }, tx);
      if (before.length < ids.length) throw new AppError("write_conflict");
      const changed = changesOf(
        before.map((one) => ({ before: one, entity: next(one.entity) })),
        now,
      );
      await store(sharded, tx, scope, { changes: { ...created, links: { ...created.links, changed } } });
    }),
  );
}

/** Hosts to be created together. */
interface Creation {
  readonly jobs: readonly Job[];
  /** The time and format of the file. */
  readonly atMs: number;
  readonly by: string;
  /** Receives the duration of the transaction, without waiting for its turn. */
  readonly took: (ms: number) => void;
}

/** By the index of their job: the written hosts, and those that were created meanwhile. */
export interface Created {
  readonly results: ReadonlyMap<number, HostResult>;
  readonly matches: ReadonlyMap<number, Match>;
}

/**
 * Creates the hosts that are new and take nothing from others. What is not in the result must be written alone.
 *
 * @throws AppError as other writes of hosts; then none is created
 */
export async function createHosts(
  storage: Storage,
  given: Target,
  session: Remote,
  { jobs, took, ...seen }: Creation,
): Promise<Created> {
  const scope = await storage.deletions.visible(given.scope);
  const { networkId } = given;
  const documents = documentsOf(jobs);
  const nothing: Created = { results: new Map(), matches: new Map() };
  // With less room, some may still be created.
  if ((await storage.quota.require(scope)) < documents) return nothing;
  const sharded = shardedFor(storage);
  const labels = [...new Set(jobs.flatMap(({ label }) => label ?? []))];
  const identities = identitiesOf(jobs);
  const marks = [...new Set(jobs.flatMap((job) => job.marks))];
  const indexes = jobs.map(({ index }) => index);
  const now = new Date().toISOString();
  // What comes of them if nothing has their identities by then, planned while the database is asked.
  const usual = session.planNew(indexes, { now, interfaces: [], named: [] });
  usual.catch(() => undefined);
  let startedAt = performance.now();
  const created = await refusingDuplicates(() =>
    storage.transaction<Created>(given.work, importKeys(networkId), async (tx) => {
      await storage.database.turn(tx, scope, documents);
      startedAt = performance.now();
      await lockImports(storage, tx, { scope, networkId });
      const interfaces = await storage.interfaces.findByIdentity(scope, identities, tx);
      const named = await storage.hosts.findByLabels(scope, labels, tx);
      const marked = await storage.hosts.findByMarks(scope, marks, tx);
      if (marked.length > 0) await session.recognizeMarked(marked);
      const isUsual = interfaces.length + named.length + marked.length === 0;
      const { created: planned, matches } = await (isUsual
        ? usual
        : session.planNew(indexes, { now, interfaces, named }));
      if (planned.length === 0) throw new Discard<Created>({ ...nothing, matches });
      const found = new Set(planned.flatMap((one) => one.found));
      const first = firstSighting(seen);
      const more = ({ id }: { readonly id: string }): Record<string, unknown> => (found.has(id) ? first : {});
      const made = planned.map((one) => one.made);
      await store(sharded, tx, scope, { changes: newHosts(made), more });
      return { results: new Map(planned.map(({ index, result }) => [index, result])), matches };
    }),
  );
  took(performance.now() - startedAt);
  return created;
}

/** Existing hosts to be written together. */
type Update = Pick<Creation, "jobs" | "took">;

/**
 * Writes what existing hosts lack, unless it takes something from others. What is not in the result must be written alone.
 *
 * @returns the results by the index of the job
 * @throws AppError as other writes of hosts; then none is written
 */
export async function updateHosts(
  storage: Storage,
  given: Target,
  session: Remote,
  { jobs, took }: Update,
): Promise<ReadonlyMap<number, HostResult>> {
  const target = { ...given, scope: await storage.deletions.visible(given.scope) };
  const { scope, networkId } = target;
  await storage.quota.require(scope);
  const sharded = shardedFor(storage);
  const hostIds = matchedIn(jobs).sort();
  const identities = identitiesOf(jobs);
  let startedAt = performance.now();
  const results = await refusingDuplicates(() =>
    transactionOnHosts(storage, { work: target.work, scope, hostIds, keys: importKeys(networkId) }, async (tx) => {
      await storage.database.turn(tx, scope, documentsOf(jobs));
      startedAt = performance.now();
      await lockImports(storage, tx, target);
      const interfaces = await storage.interfaces.findByIdentity(scope, identities, tx);
      const known = recognizedFor(jobs, await storage.hosts.findWithChildren(scope, hostIds, tx));
      const now = new Date();
      const planned = await session.planUpdates(known, { now: now.toISOString(), interfaces });
      if (planned.length === 0) throw new Discard(new Map<number, HostResult>());
      await storePlans(sharded, tx, target, { plans: planned, now });
      return new Map(planned.map(({ index, result }) => [index, result]));
    }),
  );
  took(performance.now() - startedAt);
  return results;
}

/** Hosts with the name, as of now. */
async function namesakes(
  { hosts }: Storage,
  tx: ClientSession,
  scope: Scope,
  label: string | null,
): Promise<NamedHost[]> {
  return label === null ? [] : hosts.findByLabels(scope, [label], tx);
}

/** The host named by the request, as of now. @throws AppError `invalid_reference` if it was deleted */
async function nameMatch(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  named: Job["named"],
): Promise<Match | null> {
  if (named === null) return null;
  if (named.hostId !== null) throw new AppError("invalid_reference", { path: "host_id" });
  const [hostId] = await hostsNamed(storage, scope, named.hostname ?? "", tx);
  return hostId === undefined ? null : { hostId, by: "named" };
}

async function recognized(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  match: Match | null,
): Promise<Recognized | null> {
  const there = match === null ? null : await knownHost(storage, scope, match.hostId, tx);
  return match === null || there === null ? null : recognizedAs(there, match);
}

/** Creates missing subnets; concurrently created ones are used. */
export async function makeSubnets(storage: Storage, target: Target, cidrs: readonly string[]): Promise<MadeSubnet[]> {
  const { scope, networkId } = target;
  await storage.quota.require(scope);
  const sharded = shardedFor(storage);
  return storage.transaction(target.work, importKeys(networkId), async (tx) => {
    await lockImports(storage, tx, target);
    const keys = cidrs.map((cidr) => parseBlock(cidr, "cidr").key);
    const there = await storage.subnets.findMany(scope, { cidr_key: { $in: keys } }, tx);
    const made: MadeSubnet[] = [];
    const now = new Date().toISOString();
    for (const cidr of cidrs) {
      const found = there.find(({ entity }) => entity.cidr === cidr);
      made.push({ id: found?.entity.id ?? newId(), cidr, isNew: found === undefined });
    }
    const missing = made.filter(({ isNew }) => isNew);
    const inserted = missing.map(({ id, cidr }) => newSubnet({ id, cidr, networkId, now }));
    await store(sharded, tx, scope, { changes: { subnets: { created: inserted } } });
    return made;
  });
}

/** With all writes of guards in the shard of imports. */
function shardedFor(storage: Storage): Storage {
  return { ...storage, guards: storage.guards.inShard(SHARD) };
}

/** A queue key that makes this process' transactions wait instead of conflicting. */
export function importKeys(networkId: string): string[] {
  return [`import into ${networkId}`];
}

/** @throws AppError `invalid_reference` if the network was deleted */
async function lockImports(
  { guards }: Storage,
  tx: ClientSession,
  { scope, networkId }: Pick<Target, "scope" | "networkId">,
): Promise<void> {
  if (!(await guards.lockShards(tx, scope, networkId, [SHARD])))
    throw new AppError("invalid_reference", { path: "network_id" });
}

function newSubnet({ id, cidr, networkId, now }: { id: string; cidr: string; networkId: string; now: string }): Subnet {
  const source = { type: "Discovery" };
  const server = { id, created_at: now, updated_at: now, network_id: networkId, cidr, source, reserved: [] };
  return subnetKind.make({ name: cidr, tags: [] }, server);
}

type PlannedChanges = Pick<PlannedHost, "before" | "entity" | "interfaces" | "ports" | "services" | "matchedBy">;

/** Adds to existing hosts. */
async function storePlans(
  storage: Storage,
  tx: ClientSession,
  { scope }: Target,
  { plans, now }: { plans: readonly PlannedChanges[]; now: Date },
): Promise<void> {
  const changes = {
    hosts: { changed: changesOf(plans.flatMap(existing), now) },
    interfaces: changesIn(
      plans.flatMap(({ interfaces }) => interfaces),
      now,
    ),
    ports: changesIn(
      plans.flatMap(({ ports }) => ports),
      now,
    ),
    services: changesIn(
      plans.flatMap(({ services }) => services),
      now,
    ),
  };
  await store(storage, tx, scope, { changes });
  for (const { matchedBy, entity, interfaces } of plans)
    if (matchedBy === "mac_address") await storage.hosts.macsFound(tx, scope, entity.id, macsOf(createdIn(interfaces)));
}

/** The identities of hosts that are written together. */
function identitiesOf(jobs: readonly Job[]): Job["identities"] {
  return {
    macAddresses: jobs.flatMap((job) => job.identities.macAddresses),
    ipAddresses: jobs.flatMap((job) => job.identities.ipAddresses),
  };
}

function macsOf(interfaces: readonly Interface[]): string[] {
  return interfaces.flatMap(({ mac_address }) => mac_address ?? []);
}

/** The changes of the children of a kind. */
function changesIn<T extends Entity>(planned: readonly Planned<T>[], now: Date): Omit<ChangesOf<T>, "removed"> {
  return { created: createdIn(planned), changed: changesOf(planned.flatMap(existing), now) };
}

function createdIn<T>(planned: readonly Planned<T>[]): T[] {
  return planned.flatMap(({ action, entity }) => (action === "create" ? [entity] : []));
}

function existing<T>({ before, entity }: Pick<Planned<T>, "before" | "entity">): Next<T>[] {
  return before === null ? [] : [{ before, entity }];
}
