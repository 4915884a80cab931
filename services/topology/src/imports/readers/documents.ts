import { faultIn, requireBounded, textIn } from "./json.js";
import { faultAt } from "./lines.js";

// Concatenated JSON values, for example of several files or machines, each optionally preceded by the machine's name.

export const MOST_DOCUMENTS = 20_000;

export interface Document {
  /** Its first line. */
  readonly line: number;
  /** The text before it on the line; may be empty. */
  readonly label: string;
  readonly value: unknown;
}

const LABEL_LIMIT = 1_000;
/** Other output of tools to skip. */
const NOTE = /^\[[A-Z][A-Z ]*\]:/;

/** The values of a file; text in between is skipped. @throws AppError `validation_failed` with the place */
export function* documentsIn(bytes: Iterable<Uint8Array>): Generator<Document> {
  const text = textIn(Buffer.concat([...bytes]));
  let line = 1;
  let counted = 0;
  let found = 0;
  let from = 0;
  for (;;) {
    const next = nextIn(text, from);
    if (next === null) break;
    line += text.slice(counted, next.start).split("\n").length - 1;
    counted = next.start;
    if (++found > MOST_DOCUMENTS)
      throw faultAt(
        line,
        `an import reads at most ${MOST_DOCUMENTS} values in JSON: import the file in parts, or as one list`,
      );
    const end = endOf(text, next.start);
    yield { line, label: next.label, value: valueIn(text, next.start, end) };
    from = end;
  }
  if (found === 0) throw faultAt(1, "must have a value in JSON");
}

/** Start of the next value: at the start of a line, after another value, or after an arrow. */
function nextIn(text: string, from: number): { start: number; label: string } | null {
  let at = from;
  while (at < text.length) {
    const [head = ""] = text.slice(at, at + LABEL_LIMIT).split("\n", 1);
    const lead = head.length - head.trimStart().length;
    if (/^[[{]/.test(head.slice(lead)) && !NOTE.test(head.slice(lead))) return { start: at + lead, label: "" };
    const arrow = /=> ?(?=[[{])/.exec(head);
    if (arrow !== null) return { start: at + arrow.index + arrow[0].length, label: head.slice(0, arrow.index).trim() };
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end + 1;
  }
  return null;
}

/** End of a value that starts with a bracket. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at);
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function valueIn(text: string, start: number, end: number): unknown {
  const json = text.slice(start, end);
  requireBounded(Buffer.from(json));
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw faultIn(text.slice(0, end), error, start);
  }
}
