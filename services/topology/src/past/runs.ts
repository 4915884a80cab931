import type { Place } from "@nts/shared/mongo/keyset";
import { Fields } from "@nts/shared/mongo/raw-fields";
import { PASSED_ON_BYTES, type RawBatch } from "@nts/shared/mongo/raw-find";
import type { Kind } from "./entities.js";
import type { Changed, Mergeable, Row, Sort } from "./rows.js";
import { textAtHand } from "./texts.js";
import type { View } from "./view.js";

// Most texts of a whole list are in memory when its rows are merged: those of unchanged rows in the reply of the database, most of
// the others since the search for changes. They are copied once, into one row for many: objects for each row would cost more
// than everything else.

/** Maximum rows of a text, and its approximate maximum size. */
const [JOINED, JOINED_BYTES] = [500, PASSED_ON_BYTES];

export interface RunsOf extends Pick<Changed, "field" | "ids"> {
  readonly view: View;
  readonly kind: Kind;
  readonly sort: Sort;
  /** Changed rows that are not yet merged. */
  readonly changed: Mergeable;
  /** Whether rows may be joined; see {@link Row.rows}. */
  readonly isJoined: boolean;
}

/** The rows of a batch that consists of `_id`, `wire`, sort keys and {@link Changed.field}, merged with the changed ones. */
export function runsIn(batch: RawBatch, runs: RunsOf): Generator<readonly Row[]> {
  return joinedRows(merged(batch, runs), runs);
}

/** The remaining changed rows. */
export function restOf(runs: RunsOf): Generator<readonly Row[]> {
  return joinedRows(items(runs.view, runs.changed.rest()), runs);
}

function* merged(batch: RawBatch, { view, sort, field, ids, changed }: RunsOf): Generator<Item> {
  const names = Object.keys(sort);
  for (const start of batch.starts) {
    const row = storedRowIn(batch, start, names, field);
    if (ids.has(row.replacedBy)) continue;
    if (changed.isLeft()) yield* items(view, changed.before(row.place));
    yield row;
  }
}

/** A text of a row. */
interface Slice {
  readonly bytes: Buffer;
  from: number;
  end: number;
  /** Of a stored row. */
  id: string;
  /** A changed row. */
  readonly row?: Row;
}

/** A row whose text still has to be read, or a text. */
type Item = Slice | Row;

const isSlice = (item: Item): item is Slice => "bytes" in item;

function* items(view: View, rows: readonly Row[]): Generator<Item> {
  for (const row of rows) {
    const bytes = textAtHand(view, row);
    yield bytes === undefined ? row : { bytes, from: 0, end: bytes.length, id: row.id, row };
  }
}

function rowOf(kind: Kind, item: Item): Row {
  if (!isSlice(item)) return item;
  const { bytes, from, end, id, row } = item;
  return row ?? { kind, id, n: null, place: [], text: bytes.subarray(from, end) };
}

const COMMA = 44;

function* joinedRows(all: Iterable<Item>, { kind, isJoined }: RunsOf): Generator<readonly Row[]> {
  let [some, bytes]: [Item[], number] = [[], 0];
  const rows = (): Row[] => (isJoined ? joined(kind, some) : some.map((item) => rowOf(kind, item)));
  for (const item of all) {
    some.push(item);
    if (isSlice(item)) bytes += item.end - item.from;
    if (some.length < JOINED && bytes < JOINED_BYTES) continue;
    yield rows();
    [some, bytes] = [[], 0];
  }
  yield rows();
}

/** Joins adjacent texts. */
function joined(kind: Kind, items: readonly Item[]): Row[] {
  const rows: Row[] = [];
  let run: Slice[] = [];
  const endRun = (): void => {
    if (run.length > 0) rows.push({ kind, id: "", n: null, place: [], text: textOf(run), rows: run.length });
    run = [];
  };
  for (const item of items)
    if (isSlice(item)) run.push(item);
    else {
      endRun();
      rows.push(item);
    }
  endRun();
  return rows;
}

function textOf(run: readonly Slice[]): Buffer {
  const length = run.reduce((sum, { from, end }) => sum + end - from + 1, -1);
  const text = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { bytes, from, end } of run) {
    if (at > 0) text[at++] = COMMA;
    at += bytes.copy(text, at, from, end);
  }
  return text;
}

interface StoredRow extends Slice {
  /** The value of {@link Changed.field}; the id of the changed entity that would replace it. */
  replacedBy: string;
  /** Dates are milliseconds, which compare alike. */
  readonly place: Place[number][];
}

function storedRowIn(batch: RawBatch, start: number, names: readonly string[], field: Changed["field"]): StoredRow {
  const row: StoredRow = { bytes: batch.bytes, from: 0, end: 0, id: "", replacedBy: "", place: names.map(() => null) };
  for (const fields = new Fields(batch, start); fields.next();) {
    if (fields.name === "wire") [row.from, row.end] = [fields.textAt, fields.textEnd];
    if (fields.name === "_id") row.id = fields.text;
    if (fields.name === field) row.replacedBy = field === "_id" ? row.id : fields.text;
    const at = names.indexOf(fields.name);
    if (at >= 0) row.place[at] = fields.number ?? fields.utf8?.toString() ?? null;
  }
  if (row.end === 0) throw new Error("a stored row has no text");
  return row;
}
