import type { Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentIn, documentsIn } from "@nts/shared/mongo/raw-find";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import { firstSince, placeOf, type Range } from "@nts/shared/numbered";
import { chunksOf } from "@nts/shared/groups";
import type { Database, ScopedFind } from "../storage/database.js";
import {
  BY_ID,
  type IndexKey,
  JOURNAL_OF_ENTITY,
  JOURNAL_OF_HOST,
  JOURNAL_OF_NETWORK,
  JOURNAL_OF_REQUEST,
} from "../storage/indexes.js";
import { ALL, type GoneDocument, type JournalCollections, journalCollections } from "./collections.js";
import { type Cursors, cursorsOf } from "./cursors.js";
import type { JournalDocument } from "./entries.rules.js";
import { textOf } from "./entry-texts.js";
import { lastOf } from "./known.js";
import type { ChangeFilter } from "./matching.rules.js";

// Reads ranges of an organization's journal. Numbers have no gaps, so long ranges are split by number.

/** Entries searched per query if no index covers the filter. */
const WINDOW = 20_000;
/** Networks whose entries the database merges in order, instead of sorting all. */
const MERGED = 150;
/** Milliseconds after which results so far are returned with a cursor to continue. */
const LONGEST_WAIT_MS = 2_000;

export interface EntriesQuery {
  readonly filter: ChangeFilter;
  readonly range: Range;
  readonly direction: "asc" | "desc";
  readonly limit: number;
  /** As in {@link ScopedFind}. */
  readonly firstRows?: number;
  readonly batchBytes?: number;
}

/** The progress of reading. */
export interface Reached {
  /** The number of the last entry examined; null if none. */
  n: number | null;
  /** The range is exhausted. */
  isEnd: boolean;
}

export interface Ends {
  /** The last number. */
  readonly last: number;
  /** Entries up to this number are deleted; `goneForCaller`: those visible to the caller. */
  readonly gone: number;
  readonly goneForCaller: number;
  /** The time of the last one of these. */
  readonly goneAt: Date | null;
}

export interface JournalReader {
  readonly cursors: () => Promise<Cursors>;
  /** The bounds of the organization's journal. */
  ends(scope: Scope): Promise<Ends>;
  /** The last number visible to the caller; for restricted callers, that of their last entry. */
  place(scope: Scope): Promise<number>;
  /** The first number at or after a time; the last plus one if there is none. */
  firstSince(scope: Scope, time: Date, range: Range): Promise<number>;
  /** Number of entries of a range in the scope's networks; the whole range for all networks. */
  count(scope: Scope, range: Range): Promise<number>;
  /** The entries, in batches. @param reached receives the progress */
  entries(scope: Scope, selection: EntriesQuery, reached: Reached): AsyncGenerator<JournalDocument[], void, void>;
  /** The same as JSON. */
  texts(scope: Scope, selection: EntriesQuery, reached: Reached): AsyncGenerator<string[], void, void>;
}

export function createJournalReader(database: Database): JournalReader {
  const collections = journalCollections(database.db);
  const cursors = cursorsOf(collections.db);
  const entries = createEntries(database);
  return {
    cursors,
    ...createPlaces(database, collections),
    entries,
    texts: async function* (scope, selection, reached) {
      const known = await cursors();
      for await (const batch of entries(scope, selection, reached)) yield batch.map((entry) => textOf(entry, known));
    },
  };
}

/** Resolves positions from the stored entries. */
function createPlaces(
  { share }: Database,
  { journal, gone }: JournalCollections,
): Pick<JournalReader, "ends" | "place" | "firstSince" | "count"> {
  const ends: JournalReader["ends"] = (scope) => {
    const { organizationId: organization_id, networks } = scope;
    const seen = networks === "all" ? [] : [...networks, "-"];
    const marks = [...seen, ALL].map((id) => `${organization_id}:${id}`);
    return share(scope, async () => {
      const [found, newest] = await Promise.all([
        gone.find({ _id: { $in: marks }, organization_id }, { hint: BY_ID }).toArray(),
        lastOf(journal, organization_id),
      ]);
      const all = found.find(({ network_id }) => network_id === ALL)?.n ?? 0;
      const mine = networks === "all" ? found : found.filter(({ network_id }) => network_id !== ALL);
      const last = Math.max(newest, all);
      const latest = mine.reduce<GoneDocument | null>((a, b) => (a === null || b.n > a.n ? b : a), null);
      return { last, gone: all, goneForCaller: latest?.n ?? 0, goneAt: latest?.at ?? null };
    });
  };
  return {
    ends,
    place: async (scope) => {
      const { organizationId: organization_id, networks } = scope;
      if (networks === "all") {
        const last = await share(scope, () => lastOf(journal, organization_id));
        return last > 0 ? last : (await ends(scope)).last;
      }
      let { goneForCaller: place } = await ends(scope);
      const seen = [null, ...networks];
      for (const some of chunksOf(seen, MERGED)) {
        const range = { organization_id, network_id: { $in: some } };
        const newest = journal.find(range, { hint: JOURNAL_OF_NETWORK, projection: { n: 1 } });
        const [found] = await share(scope, () => newest.sort({ n: -1 }).limit(1).toArray());
        place = Math.max(place, found?.n ?? 0);
      }
      return place;
    },
    count: async (scope, { first, last }) => {
      const { organizationId: organization_id, networks } = scope;
      if (networks === "all" || last < first) return Math.max(0, last - first + 1);
      const range = { organization_id, network_id: { $in: [...networks] }, n: { $gte: first, $lte: last } };
      return share(scope, () => journal.countDocuments(range, { hint: JOURNAL_OF_NETWORK }));
    },
    firstSince: (scope, time, range) =>
      firstSince(range, time, async (numbers) => {
        const { organizationId: organization_id } = scope;
        const places = { organization_id, _id: { $in: numbers.map((n) => placeOf(organization_id, n)) } };
        const options = { hint: BY_ID, projection: { n: 1, at: 1 } };
        const found = await share(scope, () => journal.find(places, options).toArray());
        return new Map(found.map(({ n, at }) => [n, at]));
      }),
  };
}

/** Creates the reader of a range's entries. */
function createEntries(database: Database): JournalReader["entries"] {
  return async function* (scope, selection, reached) {
    const until = performance.now() + LONGEST_WAIT_MS;
    let left = selection.limit;
    for (const window of windowsOf(selection)) {
      if (performance.now() > until) return;
      for await (const batch of entriesIn(database, scope, { ...selection, range: window, limit: left })) {
        reached.n = batch.at(-1)?.n ?? reached.n;
        left -= batch.length;
        yield batch;
      }
      if (left === 0) return;
      if (isWindowed(selection.filter)) reached.n = selection.direction === "asc" ? window.last : window.first;
    }
    reached.isEnd = true;
  };
}

export interface RawEntriesQuery extends EntriesQuery, Pick<ScopedFind, "mostRows"> {
  /** Fields to read; all if absent. */
  readonly projection?: Document;
  readonly kinds?: readonly string[];
}

/** Visible entries of a range, or some of their fields. */
export async function* entriesIn(
  database: Database,
  scope: Scope,
  selection: RawEntriesQuery,
): AsyncGenerator<JournalDocument[], void, void> {
  for await (const batch of rawEntriesIn(database, scope, selection)) yield documentsIn(batch) as JournalDocument[];
}

/** The same in BSON. */
export function rawEntriesIn(
  database: Database,
  scope: Scope,
  selection: RawEntriesQuery,
): AsyncGenerator<RawBatch, void, void> {
  const { organizationId: organization_id } = scope;
  const {
    filter: requested,
    range,
    direction,
    limit,
    projection = {},
    kinds,
    mostRows = Infinity,
    firstRows,
    batchBytes,
  } = selection;
  const { hint, byNumber } = indexFor(scope, requested);
  const { first, last } = range;
  const place = byNumber
    ? { n: { $gte: first, $lte: last } }
    : { _id: { $gte: placeOf(organization_id, first), $lte: placeOf(organization_id, last) } };
  const ofKinds = kinds === undefined ? {} : { entity: { $in: [...kinds] } };
  const filter = { organization_id, ...place, ...ofKinds, ...conditionsOf(scope, requested) };
  const sort = { [byNumber ? "n" : "_id"]: direction === "asc" ? 1 : -1 };
  const find = { collection: "journal", filter, projection, hint, sort, limit, mostRows, firstRows, batchBytes };
  return database.batches(scope, find);
}

/** Entries by number, with their total bytes. */
export const entriesAt = (
  database: Database,
  scope: Scope,
  numbers: readonly number[],
): ReturnType<typeof readAt<JournalDocument>> =>
  readAt(database, scope, numbers, { projection: {}, read: documentIn as ReadEntry<JournalDocument> });

/** Reads an entry of a batch. */
export type ReadEntry<Entry> = (batch: RawBatch, start: number) => Entry;

/** The same as `read` returns them, from some fields. */
export async function readAt<Entry extends Pick<JournalDocument, "n">>(
  database: Database,
  scope: Scope,
  numbers: readonly number[],
  { projection, read }: { readonly projection: Document; readonly read: ReadEntry<Entry> },
): Promise<{ entries: Map<number, Entry>; bytes: number }> {
  const { organizationId: organization_id } = scope;
  const places = [...new Set(numbers)].map((n) => placeOf(organization_id, n));
  const filter = { organization_id, _id: { $in: places } };
  const find = { collection: "journal", filter, projection, hint: BY_ID };
  const entries = new Map<number, Entry>();
  let bytes = 1;
  for await (const batch of database.batches(scope, find)) {
    bytes += batch.bytes.length;
    for (const start of batch.starts) {
      const entry = read(batch, start);
      entries.set(entry.n, entry);
    }
  }
  return { entries, bytes };
}

/** True if entries are filtered one by one. */
function isWindowed({ entity_id, host_id, request_id, ...others }: ChangeFilter): boolean {
  if ([entity_id, host_id, request_id].some((one) => one !== undefined)) return false;
  const { entity, action, user_id, key_id } = others;
  return [entity, action, user_id, key_id].some((one) => one !== undefined);
}

function* windowsOf({ filter, range, direction }: EntriesQuery): Generator<Range> {
  const { first, last } = range;
  if (first > last) return;
  if (!isWindowed(filter)) {
    yield range;
    return;
  }
  if (direction === "asc")
    for (let from = first; from <= last; from += WINDOW) yield { first: from, last: Math.min(last, from + WINDOW - 1) };
  else for (let to = last; to >= first; to -= WINDOW) yield { first: Math.max(first, to - WINDOW + 1), last: to };
}

function indexFor(
  { networks }: Scope,
  { entity_id, host_id, network_id, request_id }: ChangeFilter,
): { hint: IndexKey; byNumber: boolean } {
  if (entity_id !== undefined) return { hint: JOURNAL_OF_ENTITY, byNumber: true };
  if (host_id !== undefined) return { hint: JOURNAL_OF_HOST, byNumber: true };
  if (request_id !== undefined) return { hint: JOURNAL_OF_REQUEST, byNumber: true };
  if (networks !== "all" || network_id !== undefined) return { hint: JOURNAL_OF_NETWORK, byNumber: true };
  return { hint: BY_ID, byNumber: false };
}

function conditionsOf({ networks }: Scope, { network_id, ...others }: ChangeFilter): Document {
  const seen = networks === "all" ? null : [...networks, null];
  const own = seen === null || seen.includes(network_id ?? null) ? [network_id] : [];
  const requested = network_id === undefined ? seen : own;
  return {
    ...(requested !== null && { network_id: { $in: requested } }),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => Boolean(value))),
  };
}
