import { faultAt, LINE_LIMIT, linesOf } from "./lines.js";

// CSV (RFC 4180) with commas, semicolons or tabs, optional quotes, a UTF-8 byte order mark, and any line ending.

/** At least two of them separate columns that are aligned; see `alignedRows`. */
export const BLANKS = "  ";
const SEPARATORS = [",", ";", "\t", "|"] as const;
export const MOST_CELLS = 200;
/** An apostrophe protects cells from being evaluated by spreadsheets; further ones belong to the text. */
const ESCAPED = /^'(?='*[=+\-@＝＋－＠\t\r])/;

/** True for a line that programs draw around and between the rows of tables, such as `+-----+-----+`. */
export function isRule(line: string): boolean {
  return /^[\s|+:=-]+$/.test(line) && /[=-]{3}/.test(line);
}

export interface Row {
  /** Its first line. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why nothing is made of it. */
  readonly fault?: string;
}

/** The separator: the most frequent candidate in the heading, or blanks between aligned columns if there is none. */
export function separatorOf(heading: string): string {
  if (!SEPARATORS.some((separator) => heading.includes(separator)) && /\S {2,}\S/.test(heading)) return BLANKS;
  const counts = SEPARATORS.map((separator) => ({ separator, count: heading.split(separator, MOST_CELLS).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).separator;
}

/**
 * The rows of a table including the heading, without empty lines.
 *
 * @param notes lines that are no rows
 * @throws AppError `validation_failed` with the place
 */
export function* rowsOf(
  bytes: Iterable<Uint8Array>,
  { separator, notes }: { readonly separator: string; readonly notes: ReadonlySet<number> },
): Generator<Row> {
  let open: { line: number; text: string } | null = null;
  for (const { number, text } of linesOf(bytes)) {
    const bare = number === 1 ? text.replace(/^\uFEFF/, "") : text;
    if (open === null && (bare.trim() === "" || isRule(bare) || notes.has(number))) continue;
    const { line, text: before }: { line: number; text: string | null } = open ?? { line: number, text: null };
    const row: string = before === null ? bare : `${before}\n${bare}`;
    if (row.length > LINE_LIMIT)
      throw faultAt(line, `must not be longer than ${LINE_LIMIT} characters`, 1, "row_too_long");
    const isOpen: boolean = (open === null ? 0 : 1) !== quotesIn(bare) % 2;
    open = isOpen ? { line, text: row } : null;
    if (open === null) yield { line, cells: cellsOf(row, separator, line) };
  }
  if (open !== null) throw faultAt(open.line, "has a quote that is not closed", 1, "open_quote");
}

/** Quotes in cells are doubled, so a row is complete if their number is even. */
function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

function cellsOf(row: string, separator: string, line: number): string[] {
  const cells: string[] = [];
  let from = 0;
  while (from <= row.length) {
    if (cells.length === MOST_CELLS)
      throw faultAt(line, `must not have more than ${MOST_CELLS} cells`, from + 1, "too_many_cells");
    const { text, end } = row[from] === '"' ? quotedAt(row, from, separator, line) : bareAt(row, from, separator);
    cells.push(text.trim().replace(ESCAPED, ""));
    from = end + 1;
  }
  return cells;
}

interface Cell {
  readonly text: string;
  /** The position of the next separator, or of the end. */
  readonly end: number;
}

function bareAt(row: string, from: number, separator: string): Cell {
  const at = row.indexOf(separator, from);
  const end = at === -1 ? row.length : at;
  return { text: row.slice(from, end), end };
}

function quotedAt(row: string, from: number, separator: string, line: number): Cell {
  let close = row.indexOf('"', from + 1);
  while (close !== -1 && row[close + 1] === '"') close = row.indexOf('"', close + 2);
  const next = close === -1 ? "" : row[close + 1];
  if (close === -1 || (next !== undefined && next !== separator))
    throw faultAt(line, "has a misplaced quote", (close === -1 ? from : close) + 1, "misplaced_quote");
  return { text: row.slice(from + 1, close).replaceAll('""', '"'), end: close + 1 };
}
