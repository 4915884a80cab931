import type { Service } from "@nts/shared/contract";
import type { Place } from "@nts/shared/mongo/keyset";
import { documentIn, type RawBatch, textsIn } from "@nts/shared/mongo/raw-find";
import type { StoredFields } from "../storage/entities.js";
import { textFields } from "../storage/rows.js";
import type { IndexKey } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import { type Besides, besidesOf, type Kinds } from "./besides.js";
import { comparePlacesIn, meets } from "./conditions.rules.js";
import { entitiesBefore, type Former, type Kind, numbersOf, unsighted } from "./entities.js";
import type { View } from "./view.js";

// The rows of a list at a moment: those that are stored, but for what has changed since, and in their places what that was.
// Only what the order compares is held of them in memory.

type Document = Readonly<Record<string, unknown>>;
export type Sort = Readonly<Record<string, 1 | -1>>;

/** A row of a list, and its place in the order. */
export interface Row {
  readonly kind: Kind;
  readonly id: string;
  /** The number of the change that tells what it was; null when it is what is stored. */
  readonly n: number | null;
  readonly place: Place;
  /** Where it was read already, in lists that are read to their end. */
  readonly text?: string | Buffer;
}

/** A list whose rows are wanted. */
export interface Wanted {
  readonly kind: Kind;
  readonly sort: Sort;
  /** Of what was. */
  readonly filter: Document;
  /** The same of what is stored. */
  readonly storedFilter: Document;
  /** All of it is answered, so that texts are not read twice. */
  readonly isWhole?: boolean;
}

/** Characters of texts that are kept of what has changed. The others are read again while they are sent. */
const KEPT_CHARACTERS = 16_777_216;

export interface Changed {
  /** In their order, those that match. */
  readonly rows: readonly Row[];
  /** The field of stored documents that says whether one of these stands for them, and its values. */
  readonly field: "_id" | "service_id";
  readonly ids: ReadonlySet<string>;
}

/** What has changed of a list. */
export async function changedRows(view: View, kinds: Kinds, wanted: Wanted): Promise<Changed> {
  const { kind, sort, filter, isWhole = false } = wanted;
  let left = isWhole ? KEPT_CHARACTERS : 0;
  const isPart = kind.name === "Binding";
  const known = view.changed.get(isPart ? "Service" : kind.name);
  const ids = new Set(known?.keys());
  const rows: Row[] = [];
  const besides: Besides = besidesOf(view, kinds, wanted);

  function kept(text = ""): Pick<Row, "text"> {
    if (text === "" || isPart || text.length > left) return {};
    left -= text.length;
    return { text };
  }

  async function add(told: readonly (Omit<Former, "n"> & Pick<Row, "n">)[]): Promise<void> {
    const beside = await besides.fieldsOf(told.map(({ entity }) => entity));
    for (const { n, entity, text } of told)
      for (const one of isPart ? (entity as Service).bindings : [entity]) {
        const document = { ...kind.keysOf(one), ...beside.get(one.id) };
        if (meets(document, filter)) rows.push({ kind, id: one.id, n, place: placeOf(sort, document), ...kept(text) });
      }
  }

  const named = isPart ? undefined : (filter["_id"] as { readonly $in: readonly string[] } | undefined)?.$in;
  for await (const told of entitiesBefore(view, numbersOf(known, named))) await add(told);
  for await (const entities of besides.dependents()) {
    const unchanged = entities.filter(({ id }) => !ids.has(id));
    for (const { id } of unchanged) ids.add(id);
    await add(unchanged.map((entity) => ({ n: null, entity })));
  }
  const compare = comparePlacesIn(sort);
  rows.sort((a, b) => compare(a.place, b.place));
  return { rows, ids, field: isPart ? "service_id" : "_id" };
}

export function placeOf(sort: Sort, document: Document): Place {
  return Object.keys(sort).map((field) => (document[field] ?? null) as Place[number]);
}

/** How the stored rows are read. */
export interface StoredFind {
  readonly hint: IndexKey | undefined;
  /** See `Keyset`. */
  readonly segments: readonly Document[];
  readonly place: Place | null;
  /** Rows of the list that are wanted at most; 0 for all, which are read with their texts. */
  readonly most: number;
  readonly maxTimeMS: number;
}

/** All rows of a list, or those behind a place, in their order. */
export async function* rowsAt(
  view: View,
  { kind, sort, storedFilter }: Wanted,
  { rows, field, ids }: Changed,
  { hint, segments, place, most, maxTimeMS }: StoredFind,
): AsyncGenerator<readonly Row[]> {
  const { stored, moment } = view;
  const keys = Object.fromEntries(["_id", field, ...Object.keys(sort)].map((name) => [name, 1]));
  const projection = most === 0 ? { ...keys, ...textFields(unsighted(kind), stored) } : keys;
  const changed = mergeable(rows, sort, place);
  const isWhole = most === 0;
  const differs = isWhole && kind.differs(stored);
  const rowIn = (batch: RawBatch, start: number): Row => {
    const [id, wire] = textsIn(batch, start, isWhole ? ["_id", "wire"] : ["_id"]);
    // Decoding costs more than everything else about a long list.
    const document = !isWhole || differs || changed.isLeft() ? documentIn(batch, start) : {};
    const text = differs ? kind.wireOf(document as StoredFields, stored) : wire;
    return { kind, id: String(id), n: null, place: placeOf(sort, document), ...(text !== undefined && { text }) };
  };
  // Whatever is left out has changed.
  const limit = most === 0 ? 0 : most + ids.size;
  for (const segment of segments) {
    const filter = matching(kind.within(stored), storedFilter, segment);
    const find = { filter, projection, sort, ...(hint && { hint }), limit, maxTimeMS };
    for await (const batch of kind.read(stored, find, moment)) {
      const starts =
        ids.size === 0
          ? batch.starts
          : batch.starts.filter((start) => !ids.has(String(textsIn(batch, start, [field])[0])));
      yield starts.flatMap((start) => {
        const row = rowIn(batch, start);
        return changed.isLeft() ? [...changed.before(row), row] : row;
      });
    }
  }
  yield changed.rest();
}

/** Rows in their order, to be put between others. @param place behind which they begin */
function mergeable(rows: readonly Row[], sort: Sort, place: Place | null) {
  const compare = comparePlacesIn(sort);
  let at = place === null ? 0 : rows.findIndex((row) => compare(row.place, place) > 0);
  if (at === -1) at = rows.length;
  return {
    before: (other: Row): Row[] => {
      const before: Row[] = [];
      for (let row = rows[at]; row !== undefined && compare(row.place, other.place) < 0; row = rows[at]) {
        before.push(row);
        at += 1;
      }
      return before;
    },
    isLeft: (): boolean => at < rows.length,
    rest: (): readonly Row[] => rows.slice(at),
  };
}
