import type { Place } from "@nts/shared/mongo/keyset";
import { Fields, type RawBatch } from "@nts/shared/mongo/raw-find";
import type { Kind } from "./entities.js";
import type { Changed, Mergeable, Row, Sort } from "./rows.js";

// Most rows of a whole list are unchanged stored ones. Their texts are moved together within the bytes of the reply, as for lists of
// today: an object and a copy for each row would cost more than everything else.

export interface RunsOf extends Pick<Changed, "field" | "ids"> {
  readonly kind: Kind;
  readonly sort: Sort;
  /** Changed rows that are not yet merged. */
  readonly changed: Mergeable;
  /** Consecutive unchanged rows become a single one, whose text has all of theirs. */
  readonly isJoined: boolean;
}

/** The rows of a batch that consists of `_id`, `wire`, sort keys and {@link Changed.field}, merged with the changed ones. */
export function runsIn(batch: RawBatch, { kind, sort, field, ids, changed, isJoined }: RunsOf): Row[] {
  const { bytes, starts } = batch;
  const names = Object.keys(sort);
  const rows: Row[] = [];
  let run = { from: 0, end: 0, rows: 0 };
  const endRun = (): void => {
    const { from, end, rows: count } = run;
    // The first text is preceded by a comma, too.
    if (count > 0) rows.push({ kind, id: "", n: null, place: [], text: bytes.subarray(from + 1, end), rows: count });
    run = { from: end, end, rows: 0 };
  };
  for (const start of starts) {
    const row = storedRowIn(batch, start, names, field);
    if (ids.has(row.replacedBy)) continue;
    const before = changed.isLeft() ? changed.before(row.place) : [];
    if (before.length > 0 || !isJoined) endRun();
    rows.push(...before);
    bytes[run.end] = COMMA;
    bytes.copyWithin(run.end + 1, row.textAt, row.textEnd);
    run.end += 1 + row.textEnd - row.textAt;
    run.rows += 1;
  }
  endRun();
  return rows;
}

const COMMA = 44;

interface StoredRow {
  /** The value of {@link Changed.field}. */
  replacedBy: string;
  /** Dates are milliseconds, which compare alike. */
  readonly place: Place[number][];
  /** Where its text is. */
  textAt: number;
  textEnd: number;
}

function storedRowIn(batch: RawBatch, start: number, names: readonly string[], field: Changed["field"]): StoredRow {
  const row: StoredRow = { replacedBy: "", place: names.map(() => null), textAt: 0, textEnd: 0 };
  for (const fields = new Fields(batch, start); fields.next();) {
    if (fields.name === "wire") [row.textAt, row.textEnd] = [fields.textAt, fields.textEnd];
    if (fields.name === field) row.replacedBy = fields.text;
    const at = names.indexOf(fields.name);
    if (at >= 0) row.place[at] = fields.number ?? fields.utf8?.toString() ?? null;
  }
  if (row.textEnd === 0) throw new Error("a stored row has no text");
  return row;
}
