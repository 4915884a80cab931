import { linesOf } from "./lines.js";
import { isRule, MOST_CELLS, type Row } from "./rows.js";

// Tables whose columns are aligned by blanks, as commands print them for people.

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
    yield { line: number, cells: number <= line ? headings : cellsUnder(starts, text) };
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
function cellsUnder(starts: readonly number[], text: string): string[] {
  const words = alignedHeadings(text);
  if (words.length === starts.length) return words;
  return starts.map((start, index) => text.slice(start, starts[index + 1]).trim());
}
