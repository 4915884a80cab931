import type { Timestamp } from "mongodb";
import { PAST } from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { isSnapshotGone } from "@nts/shared/mongo/faults";
import type { Moment } from "@nts/shared/mongo/raw-find";
import type { Range } from "@nts/shared/numbered";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import { caughtUp } from "../journal/barrier.js";
import type { ChangeFilter } from "../journal/matching.rules.js";
import { createMoments, isTime } from "../journal/moments.js";
import { type Change, changesIn, type FormerEntry, hasFormer } from "../journal/formers.js";
import type { JournalReader } from "../journal/read.js";
import { createRecordedUntil, lastAt } from "../journal/recorded-until.js";
import type { Database } from "../storage/database.js";
import { storedScope } from "../storage/stored-scope.js";
import { createDerived, createRecentViews, type Derived } from "./recent-views.js";

// A past state is derived from a snapshot of storage and the first journal entry of each entity since, which has the state before it.
// The journal must cover the snapshot: it is taken some seconds ago, or now, after waiting for the journal, for recent moments.

/** Changes processed per batch. */
const LOOKED_AT = 2_000;
/** Maximum bytes of past states to keep from the search for changes; others are read when they are needed. */
const KEPT_BYTES = 16_777_216;

/** A past moment, opened for one request. */
export interface View {
  readonly database: Database;
  readonly work: Work;
  /** The caller's current rights for past states, in which nothing is hidden. */
  readonly rights: Scope;
  /** The rights for stored states, excluding hidden entities. */
  readonly stored: Scope;
  /** The snapshot for stored states. */
  readonly moment: Moment;
  /** The cursor of the moment. */
  readonly cursor: string;
  /** By kind: ids changed since, with the number of the first change; 0 if the entity did not exist. */
  readonly changed: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Hosts with interfaces that changed since. */
  readonly readdressed: ReadonlySet<string>;
  /** Changes with past states that have been read already, by ascending number. */
  readonly formers: readonly FormerEntry[];
  /** Values that the next pages of a list use again. */
  readonly derived: Derived;
}

export interface Looked {
  readonly work: Work;
  /** The caller's networks, including hidden ones. */
  readonly rights: Scope;
  /** A time, or a cursor. */
  readonly asOf: string;
  /** The relevant changes. */
  readonly filter: ChangeFilter;
  /** The names of the relevant kinds. */
  readonly kinds: readonly string[];
  /** Other pages may follow, or have preceded. */
  readonly isPaged?: boolean;
}

/** Opens a past moment. @throws AppError `validation_failed` · `cursor_invalid` · `changes_gone` · `too_many_changes` · `unavailable` */
export type OpenView = (looked: Looked) => Promise<View>;

/** Clock skew: a time must be this far behind the journal to be certain that all changes until then are recorded. */
const CLOCKS_MS = 10_000;

/** @param most maximum changes since the moment, and entities that they affect */
export function createViews(database: Database, reader: JournalReader, most: Most = PAST): OpenView {
  const moments = createMoments(database, reader);
  const recordedUntil = createRecordedUntil(database);
  const recentViews = createRecentViews();

  /** The time up to which all changes are recorded; null if the moment is not certainly before it. */
  async function recordedAfter({ rights, asOf }: Looked): Promise<Timestamp | null> {
    const time = await recordedUntil(rights);
    const isRecent = time !== null && isTime(asOf) && new Date(asOf).getTime() > time.t * 1_000 - CLOCKS_MS;
    return isRecent ? null : time;
  }

  /** The view of a preceding page. */
  async function opened(looked: Looked): Promise<View | null> {
    const { work, rights, asOf, isPaged } = looked;
    const recent = isPaged === true ? recentViews.get(looked) : undefined;
    if (recent === undefined || (await recordedAfter(looked)) === null) return null;
    // The second read fails if the database no longer has the snapshot.
    const [ends] = await Promise.all([reader.ends(rights), lastAt(database, rights, recent.view.moment)]);
    const n = await moments.place(rights, asOf, ends);
    return n === recent.n ? { ...recent.view, work, rights } : null;
  }

  /** Finds a moment that the journal already covers; null if that is not certain yet. */
  async function withoutWaiting(looked: Looked): Promise<Found | null> {
    const { rights, asOf } = looked;
    const time = await recordedAfter(looked);
    if (time === null) return null;
    const moment = { time };
    const [stored, last, ends] = await Promise.all([
      storedScope(database, rights, moment),
      lastAt(database, rights, moment),
      reader.ends(rights),
    ]);
    const n = await moments.place(rights, asOf, ends);
    return n > last ? null : { stored, moment, n, last: ends.last };
  }

  async function afterWaiting({ work, rights, asOf }: Looked): Promise<Found> {
    let n: number | null = null;
    for (;;) {
      const { last } = await reader.ends(rights);
      const moment: Moment = {};
      const stored = await storedScope(database, rights, moment);
      await caughtUp(database, rights, work);
      const ends = await reader.ends(rights);
      n ??= await moments.place(rights, asOf, ends);
      // The moment is newer than the snapshot: repeat with a new one.
      if (n <= last) return { stored, moment, n, last: ends.last };
    }
  }

  return async (looked) => {
    const { work, rights, asOf } = looked;
    if (isTime(asOf) && new Date(asOf).getTime() > Date.now())
      throw validationFailed({ path: "as_of", message: "must not be in the future" });
    const before = await unlessTooOld(opened(looked));
    if (before !== null) return before;
    const { stored, moment, n, last } = (await unlessTooOld(withoutWaiting(looked))) ?? (await afterWaiting(looked));
    const changes = await changesSince({ database, ...looked, most }, { first: n + 1, last });
    const cursor = (await reader.cursors()).of(rights.organizationId, n);
    const view = { database, work, rights, stored, moment, cursor, ...changes };
    return looked.isPaged === true ? recentViews.add(looked, n, view) : { ...view, derived: createDerived() };
  };
}

/** A snapshot, the journal number of the requested moment, and the last journal number that covers the snapshot. */
interface Found {
  readonly stored: Scope;
  readonly moment: Moment;
  readonly n: number;
  readonly last: number;
}

/** Null if the database does not have the snapshot. */
async function unlessTooOld<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (isSnapshotGone(error)) return null;
    throw error;
  });
}

type Most = Readonly<Record<keyof typeof PAST, number>>;
type ChangesQuery = Pick<View, "database" | "work" | "rights"> &
  Pick<Looked, "filter" | "kinds"> & { readonly most: Most };

type Changes = Pick<View, "changed" | "readdressed" | "formers">;

async function changesSince(query: ChangesQuery, range: Range): Promise<Changes> {
  const { rights, filter, kinds, most } = query;
  // Numbers have no gaps, so without filters the range can be counted without reading it.
  const areAll = rights.networks === "all" && Object.values(filter).every((one) => one === undefined);
  if (areAll && range.last - range.first >= most.changes)
    throw new AppError("too_many_changes", { limit: most.changes });
  const changed = new Map(kinds.map((kind) => [kind, new Map<string, number>()]));
  const readdressed = new Set<string>();
  const formers: FormerEntry[] = [];
  let left = most.entities;
  for await (const changes of batchesOf(query, range))
    for (const change of changes) {
      const { n, entity, entity_id, action, host_id } = change;
      const known = changed.get(entity);
      if (known === undefined) continue;
      if (entity === "Interface" && host_id !== null) readdressed.add(host_id);
      if (known.has(entity_id)) continue;
      known.set(entity_id, action === "created" ? 0 : n);
      if (hasFormer(change)) formers.push(change);
      left -= 1;
      if (left < 0) throw new AppError("too_many_changes", { limit: most.entities });
    }
  return { changed, readdressed, formers };
}

/** Yields changes in batches, with past states until these have the size to keep. */
async function* batchesOf(
  { database, work, rights, filter, kinds, most }: ChangesQuery,
  { first, last }: Range,
): AsyncGenerator<Change[]> {
  const withHosts = kinds.includes("Interface");
  const query = { filter, kinds, direction: "asc", mostRows: LOOKED_AT, withHosts } as const;
  let next = first;
  let left = most.changes + 1;
  let toKeep = KEPT_BYTES;
  let isEnd = false;
  while (!isEnd && next <= last) {
    const withFormers = toKeep > 0;
    isEnd = true;
    const find = { ...query, range: { first: next, last }, limit: left, withFormers };
    for await (const { changes, bytes } of changesIn(database, rights, find)) {
      requireNotAbandoned(work);
      left -= changes.length;
      if (left <= 0) throw new AppError("too_many_changes", { limit: most.changes });
      yield changes;
      next = (changes.at(-1)?.n ?? last) + 1;
      toKeep -= bytes;
      isEnd = !withFormers || toKeep > 0;
      if (!isEnd) break;
    }
  }
}
