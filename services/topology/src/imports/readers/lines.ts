import { type AppError, validationFailed } from "@nts/shared/errors";

// Text as it arrives, a line at a time. How long a line may be and how many there may be is bounded here, for all readers.

export const LINE_LIMIT = 65_536;
export const MOST_LINES = 1_000_000;

/** Characters from which a format is told. */
const BEGINNING = 16_384;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end. */
  readonly text: string;
}

/** The lines of a file in UTF-8. @throws AppError `validation_failed` with the line */
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

/** A fault of a line. @param code tells programs which one it is */
export function faultAt(line: number, message: string, column = 1, code?: string): AppError {
  return validationFailed({ path: `line ${line}, column ${column}`, message, ...(code !== undefined && { code }) });
}

/** How a file begins, without white space in front. */
export function beginningOf(blocks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const block of blocks) {
    text = (text + decoder.decode(block, { stream: true })).trimStart();
    if (text.length >= BEGINNING) break;
  }
  return text.slice(0, BEGINNING);
}
