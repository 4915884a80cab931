import type { KeysetPosition } from "@nts/shared/mongo/keyset";
import { bytesOf, Fields, type RawBatch, sliceOf, type TextSlice } from "@nts/shared/mongo/raw-fields";
import { PASSED_ON_BYTES } from "@nts/shared/mongo/raw-find";
import type { Kind } from "./entities.js";
import type { Changed, Mergeable, Row, Sort } from "./rows.js";
import { textAtHand } from "./texts.js";
import type { View } from "./view.js";

// Most texts of a whole list are in memory when its rows are merged: those of unchanged rows in the reply of the database, most of
// the others since the search for changes. They are joined into one row for many: objects for each row would cost more than
// everything else.

/** Maximum rows of a text, and its approximate maximum size. */
const JOINED = 500;
const JOINED_BYTES = PASSED_ON_BYTES;

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
export function runsIn(batch: RawBatch, runs: RunsOf): Iterable<readonly Row[]> {
  const { kind, isJoined } = runs;
  const rows = merged(batch, runs);
  return isJoined ? joined(rows, runs) : [Array.from(rows, (row) => (isStored(row) ? rowOf(kind, row) : row))];
}

/** The remaining changed rows. */
export function restOf(runs: RunsOf): Iterable<readonly Row[]> {
  const rest = runs.changed.rest();
  return runs.isJoined ? joined(rest, runs) : [rest];
}

function* merged(batch: RawBatch, { kind, sort, field, ids, changed }: RunsOf): Generator<StoredRow | Row> {
  const names = Object.keys(sort);
  for (const start of batch.starts) {
    const row = storedRowIn(batch, start, { kind, names, field });
    if (ids.has(row.replacedBy)) continue;
    if (changed.isLeft()) yield* changed.before(row.place);
    yield row;
  }
}

const isStored = (row: StoredRow | Row): row is StoredRow => "replacedBy" in row;

function rowOf(kind: Kind, row: StoredRow): Row {
  return { kind, id: row.id, n: null, place: [], text: bytesOf(row) };
}

const COMMA = 44;

/** Joins adjacent texts. */
function* joined(all: Iterable<StoredRow | Row>, { view, kind }: RunsOf): Generator<readonly Row[]> {
  let rows: Row[] = [];
  let run: TextSlice[] = [];
  let seen = 0;
  let bytes = 0;
  const endRun = (): void => {
    if (run.length > 0) rows.push({ kind, id: "", n: null, place: [], text: textOf(run), rows: run.length });
    run = [];
  };
  for (const row of all) {
    const slice = isStored(row) ? row : textAtHand(view, row);
    if (slice === null) {
      endRun();
      rows.push(row as Row);
    } else {
      run.push(slice);
      bytes += slice.end - slice.from;
    }
    seen += 1;
    if (seen < JOINED && bytes < JOINED_BYTES) continue;
    endRun();
    yield rows;
    [rows, seen, bytes] = [[], 0, 0];
  }
  endRun();
  yield rows;
}

function textOf(run: readonly TextSlice[]): Buffer {
  const length = run.reduce((sum, { from, end }) => sum + end - from + 1, 0);
  const text = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { bytes, from, end } of run) {
    text[at++] = COMMA;
    at += bytes.copy(text, at, from, end);
  }
  return text;
}

interface StoredRow extends TextSlice {
  bytes: Buffer;
  from: number;
  end: number;
  id: string;
  /** The value of {@link Changed.field}; the id of the changed entity that would replace it. */
  replacedBy: string;
  readonly place: KeysetPosition[number][];
}

interface StoredRowOf {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly field: Changed["field"];
}

function storedRowIn(batch: RawBatch, start: number, { kind, names, field }: StoredRowOf): StoredRow {
  let form: number | undefined;
  const row: StoredRow = { bytes: batch.bytes, from: 0, end: 0, id: "", replacedBy: "", place: names.map(() => null) };
  for (const fields = new Fields(batch, start); fields.next();) {
    if (fields.name === "wire") [row.from, row.end] = [fields.textAt, fields.textEnd];
    if (fields.name === "form") form = fields.number;
    if (fields.name === "_id") row.id = fields.text;
    if (fields.name === field) row.replacedBy = field === "_id" ? row.id : fields.text;
    const at = names.indexOf(fields.name);
    if (at >= 0) row.place[at] = fields.number ?? fields.utf8?.toString() ?? null;
  }
  if (row.end === 0) throw new Error("a stored row has no text");
  if (kind.hasOlderForms && (form ?? 1) < kind.form) Object.assign(row, sliceOf(kind.upgraded(bytesOf(row), form)));
  return row;
}
