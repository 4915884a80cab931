import { type AppError, validationFailed } from "@nts/shared/errors";

// Reads text line by line as it arrives, with bounded line length and count.

export const LINE_LIMIT = 65_536;
export const MOST_LINES = 1_000_000;

/** Characters used to detect the format. */
const BEGINNING = 16_384;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the line ending. */
  readonly text: string;
}

/** The lines of a UTF-8 file. @throws AppError `validation_failed` with the line */
export function* linesOf(bytes: Iterable<Uint8Array>): Generator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  let number = 0;
  const next = (text: string): Line => {
    if (++number > MOST_LINES) throw faultAt(number, `an import reads at most ${MOST_LINES} lines`);
    if (text.length > LINE_LIMIT) throw faultAt(number, `must not be longer than ${LINE_LIMIT} characters`);
    return { number, text: text.endsWith("\r") ? text.slice(0, -1) : text };
  };
  for (const piece of bytes) {
    let text: string;
    try {
      text = decoder.decode(piece, { stream: true });
    } catch {
      throw faultAt(number + 1, "must be in UTF-8 from here on");
    }
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      yield next(rest + text.slice(from, end));
      rest = "";
      from = end + 1;
    }
    rest += text.slice(from);
    if (rest.length > LINE_LIMIT) next(rest);
  }
  try {
    rest += decoder.decode();
  } catch {
    throw faultAt(number + 1, "must be in UTF-8 from here on");
  }
  if (rest !== "") yield next(rest);
}

/** An error at a line. @param code identifies it for programs */
export function faultAt(line: number, message: string, column = 1, code?: string): AppError {
  return validationFailed({ path: `line ${line}, column ${column}`, message, ...(code !== undefined && { code }) });
}

/** The first blocks of a file, and all of them one by one, so that each is let go when it has been read. */
export function withFirst(
  bytes: Iterable<Uint8Array>,
  count: number,
): { readonly first: readonly Uint8Array[]; readonly blocks: Iterable<Uint8Array> } {
  const all = bytes[Symbol.iterator]();
  const first: Uint8Array[] = [];
  for (let next = all.next(); next.done !== true; next = all.next()) if (first.push(next.value) === count) break;
  return {
    first,
    blocks: (function* () {
      for (let block = first.shift(); block !== undefined; block = first.shift()) yield block;
      for (let next = all.next(); next.done !== true; next = all.next()) yield next.value;
    })(),
  };
}

/** The start of a file without leading white space. */
export function beginningOf(blocks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const block of blocks) {
    text = (text + decoder.decode(block, { stream: true })).trimStart();
    if (text.length >= BEGINNING) break;
  }
  return text.slice(0, BEGINNING);
}
