import { linesOf } from "./lines.js";
import { isRule, MOST_CELLS, type Row } from "./rows.js";

// Tables whose columns are aligned by blanks, as commands print them for people.

/** Why a row is not read. */
export const NOT_ALIGNED = "its values do not stand under their headings: keep the blanks between the columns";

/** True if a value lies across the beginning of a column, so that it cannot be told what it belongs to. */
export function isAcross(text: string, starts: readonly number[]): boolean {
  return starts.some((start) => start > 0 && /^\S{2}$/.test(text.slice(start - 1, start + 1)));
}

/** The headings of such a table. */
export function alignedHeadings(text: string): string[] {
  return text.trim().split(/ {2,}|\t+/, MOST_CELLS);
}

/** The rows of a table including the headings, without empty lines. */
export function* alignedRows(
  bytes: Iterable<Uint8Array>,
  { line, notes }: { readonly line: number; readonly notes: ReadonlySet<number> },
): Generator<Row> {
  let starts: readonly number[] = [];
  for (const { number, text } of linesOf(bytes)) {
    if (text.trim() === "" || isRule(text) || notes.has(number)) continue;
    const headings = alignedHeadings(text);
    if (number === line) starts = startsOf(text, headings);
    yield number <= line ? { line: number, cells: headings } : { line: number, ...cellsUnder(starts, text, headings) };
  }
}

function startsOf(text: string, headings: readonly string[]): number[] {
  let at = 0;
  return headings.map((heading) => {
    const start = text.indexOf(heading, at);
    at = start + heading.length;
    return start;
  });
}

/** A full row may shift columns, as one with a long value does; otherwise a word belongs to the heading that it stands under. */
function cellsUnder(starts: readonly number[], text: string, words: readonly string[]): Omit<Row, "line"> {
  if (words.length === starts.length) return { cells: words };
  if (isAcross(text, starts)) return { cells: [], fault: NOT_ALIGNED };
  return { cells: starts.map((start, index) => text.slice(start, starts[index + 1]).trim()) };
}
