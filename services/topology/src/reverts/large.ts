import type { ClientSession } from "mongodb";
import type { Reverted } from "@nts/shared/contract";
import { KINDS_BETWEEN, KINDS_ON_HOSTS, pluralOf } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import { chunksOf, putUnder } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { BACKGROUND, type Work } from "@nts/shared/work";
import { recorderOf } from "@nts/shared/writes/recorder";
import { deleteHosts } from "../deletions/hosts.js";
import type { Notices } from "../deletions/notices.js";
import { TOP_LEVEL } from "../kinds/index.js";
import { BY_ID, ON_HOST_INDEXES, INTERFACE_ADDRESSES_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { type Conflict, conflictOf, refuse } from "./conflict.rules.js";
import { plan, withoutDone } from "./planned.js";
import { revert } from "./revert.js";
import { type Span, undosFor } from "./spans.js";
import type { Undo } from "./undo.rules.js";

// Reverts what is too much for one transaction, such as a large import: everything is checked first, then hosts that the request
// created are deleted with all that is on them, hidden first and swept later, and the rest is reverted host by host. What
// is as it was before the request already is left out, so that an interrupted revert can be repeated.

/** Hosts deleted by one transaction. */
const HOSTS = 1_000;
/** Entities checked or reverted together; a host may have more. */
const BATCH = 500;
const BETWEEN: readonly string[] = KINDS_BETWEEN.map(pluralOf);
const ON_HOSTS = [...KINDS_ON_HOSTS, ...KINDS_BETWEEN].map(pluralOf);
/** What is on no host, and connects none. */
const ALONE: readonly string[] = TOP_LEVEL.map(pluralOf);

export type Counts = Omit<Reverted, "request_id">;

export interface LargeRevert {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly work: Work;
  readonly scope: Scope;
  readonly spans: readonly Span[];
  readonly parts: Parts;
}

/** The parts of a large revert, in their order. */
interface Parts {
  /** Hosts that the request created, and what it created on them, by host. */
  readonly hosts: readonly Span[];
  readonly on: ReadonlyMap<string, readonly Span[]>;
  /** The rest on hosts, all of a host together. */
  readonly groups: readonly (readonly Span[])[];
  /** Subnets and VLANs that it created. */
  readonly subnets: readonly Span[];
  /** Dependencies and links that the request created. */
  readonly made: readonly Span[];
  /** Other ones. */
  readonly connections: readonly Span[];
}

function isPlace(kind: string): boolean {
  return kind === "subnets" || kind === "vlans";
}

/** Whether a large revert can do it. @throws AppError `too_many_changes` */
export function requireRevertible(spans: readonly Span[], limit: number): void {
  if (spans.some(({ kind, isNew }) => ALONE.includes(kind) && !(isPlace(kind) && isNew)))
    throw new AppError("too_many_changes", { limit });
}

/** @returns what it would do @throws AppError `revert_conflict` */
export async function checkLarge(given: LargeRevert): Promise<Counts> {
  const { storage, scope, spans } = given;
  const { hosts, on, groups, subnets, made, connections } = given.parts;
  const conflicts: Conflict[] = [];
  for (const some of chunksOf(hosts, BATCH))
    conflicts.push(...(await conflictsOn(storage, scope, { hosts: some, on, made })));
  for (const some of [...batchesOf(groups), ...chunksOf([...made, ...connections], BATCH)])
    conflicts.push(...(await conflictsIn(given, some)));
  conflicts.push(...(await conflictsAt(storage, scope, subnets, spans)));
  refuse(conflicts);
  const count = (matches: (span: Span) => boolean): number => spans.filter(matches).length;
  return {
    restored: count(({ isGone }) => isGone),
    updated: count(({ isNew, isGone }) => !isNew && !isGone),
    removed: count(({ isNew }) => isNew),
  };
}

/** Reverts what {@link checkLarge} has checked. Yields after each part how many entities it had. @returns what it has done */
export async function* revertLarge({
  storage,
  notices,
  work,
  parts: { hosts, on, groups, subnets, made, connections },
  ...given
}: LargeRevert): AsyncGenerator<number, Counts> {
  const total = { restored: 0, updated: 0, removed: 0 };
  const seen = async (): Promise<Scope> => storage.deletions.visible(given.scope);
  /** @returns how many they are */
  const revertSome = async (some: readonly Span[]): Promise<number> => {
    const scope = await seen();
    const undos = await inTransaction(storage, (tx) => pendingIn(storage, tx, scope, some));
    if (undos.length > 0) {
      const done = await revert(storage, notices, { work, scope, undos });
      for (const name of ["restored", "updated", "removed"] as const) total[name] += done[name];
    }
    return some.length;
  };
  // What connects hosts goes first, and comes back last.
  for (const some of chunksOf(made, BATCH)) yield revertSome(some);
  for (const some of chunksOf(hosts, HOSTS)) {
    const scope = await seen();
    const ids = await presentOf(storage, scope, some);
    // Under the locks; what was changed and changed back was compared before.
    const verify = async (tx: ClientSession): Promise<void> =>
      refuse((await foundOn(storage, scope, { hosts: some, on, made }, tx)).others);
    if (ids.length > 0) await deleteHosts(storage, { work, scope, ids, precondition: null, verify });
    total.removed += ids.reduce((sum, id) => sum + 1 + (on.get(id)?.length ?? 0), 0);
    yield some.reduce((sum, { id }) => sum + 1 + (on.get(id)?.length ?? 0), 0);
  }
  for (const some of [...batchesOf(groups), subnets, ...chunksOf(connections, BATCH)]) yield revertSome(some);
  return total;
}

/** Records what a dry run would do: entities that disappear are counted, not listed. */
export function recordLarge({ spans }: Pick<LargeRevert, "spans">, tx: ClientSession): void {
  const counts = new Map<string, number>();
  for (const { kind, isNew } of spans) if (isNew) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) recorderOf(tx)?.count(kind, count);
}

export function partsOf(spans: readonly Span[]): Parts {
  const hosts = spans.filter(({ kind, isNew }) => kind === "hosts" && isNew);
  const isOfNew = new Set(hosts.map(({ id }) => id));
  const on = new Map<string, Span[]>();
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const { kind, hostId, isNew } = span;
    if (hostId === null) continue;
    if (!isOfNew.has(hostId)) putUnder(groups, hostId, span);
    else if (kind !== "hosts" && isNew) putUnder(on, hostId, span);
  }
  const connections = spans.filter(({ kind }) => BETWEEN.includes(kind));
  return {
    ...{ hosts, on, groups: [...groups.values()] },
    // A subnet is gone before its VLAN.
    subnets: ["subnets", "vlans"].flatMap((place) => spans.filter(({ kind }) => kind === place)),
    made: connections.filter(({ isNew }) => isNew),
    connections: connections.filter(({ isNew }) => !isNew),
  };
}

function batchesOf(groups: readonly (readonly Span[])[]): Span[][] {
  const batches: Span[][] = [];
  for (const group of groups) {
    const last = batches.at(-1);
    if (last !== undefined && last.length + group.length <= BATCH) last.push(...group);
    else batches.push([...group]);
  }
  return batches;
}

/** New hosts, and what is on them. */
type NewHosts = Pick<Parts, "hosts" | "on" | "made">;

/** What is on new hosts: things of others, and what has another revision than the request left. */
async function foundOn(
  storage: Storage,
  scope: Scope,
  { hosts, on, made }: NewHosts,
  tx?: ClientSession,
): Promise<{ others: Conflict[]; changed: Span[] }> {
  const others: Conflict[] = [];
  const changed: Span[] = [];
  const filter = { host_id: { $in: hosts.map(({ id }) => id) } };
  const spans = [...hosts.flatMap(({ id }) => on.get(id) ?? []), ...made];
  const known = new Map(spans.map((span) => [span.id, span]));
  for (const kind of ON_HOSTS) {
    const options = { projection: { revision: 1 }, hint: ON_HOST_INDEXES[kind] };
    const found =
      tx === undefined
        ? await storage[kind].select(scope, filter, options)
        : await storage[kind].selectIn(tx, scope, filter, options);
    for (const { _id, revision } of found) {
      const span = known.get(_id);
      if (span === undefined) others.push(conflictOf(kind, _id, "depends"));
      else if (span.revision !== revision) changed.push(span);
    }
  }
  return { others, changed };
}

/** What prevents new hosts from being deleted: things of others on them, or changes since. */
async function conflictsOn(storage: Storage, scope: Scope, given: NewHosts): Promise<Conflict[]> {
  const { hosts } = given;
  const { others, changed } = await foundOn(storage, scope, given);
  const filter = { _id: { $in: hosts.map(({ id }) => id) } };
  const found = await storage.hosts.select(scope, filter, { projection: { revision: 1 }, hint: BY_ID });
  const revisions = new Map(found.map(({ _id, revision }) => [_id, revision]));
  // A host also gets another revision when something on it changes.
  changed.push(...hosts.filter(({ id, revision }) => revisions.has(id) && revisions.get(id) !== revision));
  return [...others, ...(await conflictsIn({ storage, scope }, changed))];
}

/** Which entities are not as the request left them. */
async function conflictsIn(
  { storage, scope }: Pick<LargeRevert, "storage" | "scope">,
  spans: readonly Span[],
): Promise<Conflict[]> {
  if (spans.length === 0) return [];
  return inTransaction(storage, async (tx) => {
    const undos = await pendingIn(storage, tx, scope, spans);
    return (await plan(storage, tx, scope, undos)).conflicts;
  });
}

/** What is left to do for some spans. */
async function pendingIn(storage: Storage, tx: ClientSession, scope: Scope, spans: readonly Span[]): Promise<Undo[]> {
  return withoutDone(storage, tx, scope, await undosFor(storage, scope, spans));
}

/** Reads in a transaction, which writes nothing. */
function inTransaction<T>({ transaction }: Storage, read: (tx: ClientSession) => Promise<T>): Promise<T> {
  return transaction<T>(BACKGROUND, [], async (tx) => {
    throw new Discard(await read(tx));
  });
}

/** Interfaces in new subnets that are not of the request. */
async function conflictsAt(
  storage: Storage,
  scope: Scope,
  subnets: readonly Span[],
  spans: readonly Span[],
): Promise<Conflict[]> {
  const own = new Set(spans.filter(({ kind, isNew }) => kind === "interfaces" && isNew).map(({ id }) => id));
  const conflicts: Conflict[] = [];
  for (const { id: subnet_id } of subnets.filter(({ kind }) => kind === "subnets")) {
    const options = { projection: { _id: 1 }, hint: INTERFACE_ADDRESSES_INDEX };
    const found = await storage.interfaces.select(scope, { subnet_id }, options);
    const other = found.find(({ _id }) => !own.has(_id));
    if (other !== undefined) conflicts.push(conflictOf("interfaces", other._id, "depends"));
  }
  return conflicts;
}

async function presentOf(storage: Storage, scope: Scope, hosts: readonly Span[]): Promise<string[]> {
  const ids = hosts.map(({ id }) => id);
  const found = await storage.hosts.select(scope, { _id: { $in: ids } }, { projection: { _id: 1 }, hint: BY_ID });
  return found.map(({ _id }) => _id);
}
