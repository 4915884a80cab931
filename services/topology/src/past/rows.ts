import type { Service } from "@nts/shared/contract";
import type { KeysetPosition } from "@nts/shared/mongo/keyset";
import { textIn, type RawBatch } from "@nts/shared/mongo/raw-fields";
import { documentIn, PASSED_ON_BYTES } from "@nts/shared/mongo/raw-find";
import { createdAtIn, type FormerEntry } from "../journal/formers.js";
import type { StoredFields } from "../storage/entities.js";
import { textFields } from "../storage/rows.js";
import type { IndexKey } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import { type DenormalizedFields, denormalizedFieldsOf, type Kinds } from "./denormalized-fields.js";
import { comparePlacesIn, meets } from "./conditions.rules.js";
import {
  entitiesBefore,
  entriesWithFormers,
  type Former,
  inBatches,
  type Kind,
  numbersOf,
  unsighted,
} from "./entities.js";
import { restOf, runsIn } from "./runs.js";
import type { View } from "./view.js";

// The rows of a list at a moment: unchanged stored rows, merged with the past states of changed ones. Only the sort keys of changed
// rows are held in memory.

type Document = Readonly<Record<string, unknown>>;
export type Sort = Readonly<Record<string, 1 | -1>>;

/** A row of a list with its sort key. */
export interface Row {
  readonly kind: Kind;
  readonly id: string;
  /** The number of the change with the past state; null if the stored state is current. */
  readonly n: number | null;
  /** Dates may be milliseconds, which compare alike. */
  readonly place: KeysetPosition;
  /** The JSON of a stored state, if it was read with the row. */
  readonly text?: string | Buffer;
  /** Stands for so many consecutive rows, whose texts are in `text` with a comma before each; it has no id or sort key. */
  readonly rows?: number;
}

/** The requested list. */
export interface ListRequest {
  readonly kind: Kind;
  readonly sort: Sort;
  /** For past states. */
  readonly filter: Document;
  /** For stored states. */
  readonly storedFilter: Document;
}

/** Pages of up to so many rows are read with their texts, which saves a query; some of these may be skipped. */
const FEW_ROWS = 200;

const NONE: ReadonlyMap<string, number> = new Map();

export interface Changed {
  /** Matching rows in sort order. */
  readonly rows: readonly Row[];
  /** The field, and its values, of stored documents that are replaced by these rows. */
  readonly field: "_id" | "service_id";
  readonly ids: ReplacedIds;
}

/** A set, or the keys of a map. */
export type ReplacedIds = Pick<ReadonlySet<string>, "has" | "size" | "keys">;

/** Reads the changed rows of a list. */
export function changedRows(view: View, kinds: Kinds, request: ListRequest): Promise<Changed> {
  const { kind, sort, filter } = request;
  const name = ["changed", kind.name, sort, filter];
  const known = changedOf(view, kind);
  const itemsOf = ({ rows, ids }: Changed): number => rows.length + (ids === known ? 0 : ids.size);
  return view.derived.once(name, () => readChanged(view, kinds, request), itemsOf);
}

/** The changed entities of a kind, or those that contain its parts. */
function changedOf({ changed }: View, { name }: Kind): ReadonlyMap<string, number> {
  return changed.get(name === "Binding" ? "Service" : name) ?? NONE;
}

async function readChanged(view: View, kinds: Kinds, request: ListRequest): Promise<Changed> {
  const { kind, sort, filter } = request;
  const isPart = kind.name === "Binding";
  const known = changedOf(view, kind);
  const dependents = new Set<string>();
  const rows: Row[] = [];
  const denormalized: DenormalizedFields = denormalizedFieldsOf(view, kinds, request);

  async function add(formers: readonly (Pick<Former, "entity"> & Pick<Row, "n">)[]): Promise<void> {
    const fields = await denormalized.fieldsOf(formers.map(({ entity }) => entity));
    for (const { n, entity } of formers)
      for (const one of isPart ? (entity as Service).bindings : [entity]) {
        const document = { ...kind.keysOf(one), ...fields.get(one.id) };
        if (meets(document, filter)) rows.push({ kind, id: one.id, n, place: placeOf(sort, document) });
      }
  }

  const named = isPart ? undefined : (filter["_id"] as { readonly $in: readonly string[] } | undefined)?.$in;
  const numbers = numbersOf(known, named);
  if (!isPart && isByCreation(request))
    for await (const entries of entriesWithFormers(view, numbers)) rows.push(...rowsByCreation(request, entries));
  else for await (const formers of entitiesBefore(view, numbers)) await add(formers);
  for await (const entities of denormalized.dependents()) {
    const unchanged = entities.filter(({ id }) => !known.has(id) && !dependents.has(id));
    for (const { id } of unchanged) dependents.add(id);
    await add(unchanged.map((entity) => ({ n: null, entity })));
  }
  const compare = comparePlacesIn(sort);
  rows.sort((a, b) => compare(a.place, b.place));
  const ids = dependents.size === 0 ? known : new Set([...known.keys(), ...dependents]);
  return { rows, ids, field: isPart ? "service_id" : "_id" };
}

const CREATION = new Set(["_id", "created_at"]);

function isByCreation({ sort, filter }: ListRequest): boolean {
  return Object.keys(sort).every((name) => CREATION.has(name)) && Object.keys(filter).every((name) => name === "_id");
}

/** Of lists in the default order, which never changes, states are not decoded: this takes most of the time. */
function rowsByCreation({ kind, sort, filter }: ListRequest, entries: readonly FormerEntry[]): Row[] {
  const names = Object.keys(sort);
  const isFiltered = Object.keys(filter).length > 0;
  const rows: Row[] = [];
  for (const entry of entries) {
    const { n, entity_id: id } = entry;
    if (isFiltered && !meets({ _id: id }, filter)) continue;
    rows.push({ kind, id, n, place: names.map((name) => (name === "_id" ? id : createdAtIn(entry))) });
  }
  return rows;
}

export function placeOf(sort: Sort, document: Document): KeysetPosition {
  return Object.keys(sort).map((field) => (document[field] ?? null) as KeysetPosition[number]);
}

/** Options for reading stored rows. */
export interface StoredFind {
  readonly hint: IndexKey | undefined;
  /** See `Keyset`. */
  readonly segments: readonly Document[];
  readonly place: KeysetPosition | null;
  /** Maximum rows; 0 for all. */
  readonly most: number;
  /** Of all rows, adjacent ones may be joined; see {@link Row.rows}. */
  readonly isJoined?: boolean;
  readonly maxTimeMS: number;
}

/** Yields all rows of a list, or those after a sort key, in order. */
export async function* rowsAt(
  view: View,
  { kind, sort, storedFilter }: ListRequest,
  { rows, field, ids }: Changed,
  { hint, segments, place, most, maxTimeMS, isJoined = false }: StoredFind,
): AsyncGenerator<readonly Row[]> {
  const { stored, moment } = view;
  const keys = Object.fromEntries(["_id", field, ...Object.keys(sort)].map((name) => [name, 1]));
  // Stored rows are only skipped if they have changed.
  const limit = most === 0 ? 0 : most + ids.size;
  const isWhole = most <= FEW_ROWS;
  const projection = isWhole ? { ...keys, ...textFields(unsighted(kind), stored) } : keys;
  const changed = mergeable(rows, sort, place);
  const losesTags = isWhole && kind.losesTags(stored);
  const arePassedOn = limit === 0 && !losesTags;
  const runs = { view, kind, sort, field, ids, changed, isJoined };
  function* decoded({ bytes, starts: all }: RawBatch): Generator<readonly Row[]> {
    // A reader of a page may stop before the end of a batch.
    for (const starts of inBatches(all, most === 0 ? FEW_ROWS : Math.min(most, FEW_ROWS)))
      yield starts.flatMap((start) => {
        // Skipped rows are not decoded: there may be many of them before the first row of a page.
        if (ids.size > 0 && ids.has(textIn({ bytes }, start, field).toString())) return [];
        const document = documentIn({ bytes, starts }, start);
        const text = isWhole ? kind.wireOf(document as StoredFields, stored) : undefined;
        const place = placeOf(sort, document);
        const row = { kind, id: String(document["_id"]), n: null, place, ...(text !== undefined && { text }) };
        return changed.isLeft() ? [...changed.before(place), row] : row;
      });
  }
  for (const segment of segments) {
    const filter = matching(kind.within(stored), storedFilter, segment);
    const find = {
      filter,
      projection,
      sort,
      ...(hint && { hint }),
      limit,
      maxTimeMS,
      ...(arePassedOn && { batchBytes: PASSED_ON_BYTES }),
    };
    for await (const batch of kind.read(stored, find, moment))
      yield* arePassedOn ? runsIn(batch, runs) : decoded(batch);
  }
  if (arePassedOn) yield* restOf(runs);
  else yield changed.rest();
}

export type Mergeable = ReturnType<typeof mergeable>;

/** An iterator of sorted rows for merging. @param place the sort key after which to start */
function mergeable(rows: readonly Row[], sort: Sort, place: KeysetPosition | null) {
  const compare = comparePlacesIn(sort);
  let at = place === null ? 0 : rows.findIndex((row) => compare(row.place, place) > 0);
  if (at === -1) at = rows.length;
  return {
    /** The rows before a sort key, which are thereby merged. */
    before: (other: KeysetPosition): Row[] => {
      const before: Row[] = [];
      for (let row = rows[at]; row !== undefined && compare(row.place, other) < 0; row = rows[at]) {
        before.push(row);
        at += 1;
      }
      return before;
    },
    isLeft: (): boolean => at < rows.length,
    rest: (): readonly Row[] => rows.slice(at),
  };
}
