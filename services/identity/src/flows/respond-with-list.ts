import { setImmediate as nextTurn } from "node:timers/promises";
import { respond, type HandlerResponse, type ListPart } from "@nts/shared/http/respond";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import type { Work } from "@nts/shared/work";
import type { StoredList } from "../storage/pages.js";

// A list is converted in parts while it is sent. Each part waits for the organization's turn, and lets others go first.

/** Rows of the first chunk, whose length is not known. */
const FIRST_ROWS = 10;
/** Most rows of a later chunk. */
const CHUNK_ROWS = 100;
/** Text of a chunk, by the length of the rows before it. */
const CHUNK_BYTES = 262_144;
/** Text converted and sent at a time, at least one row. */
const PART_BYTES = 65_536;
/** A longer list takes one of the organization's stream slots; less than what is gathered before sending begins. */
export const STREAM_BYTES = 131_072;

/**
 * Reads what the rows of a chunk need.
 *
 * @returns converts one of them, of which clients see every member
 */
export type Converter<T> = (chunk: readonly T[]) => Promise<(row: T) => object> | ((row: T) => object);

/** A list with its total, converted while it is sent. */
export function respondWithList<T>(list: StoredList<T>, work: Work, converter: Converter<T>): HandlerResponse<never> {
  const { limit, offset } = list.query;
  let next: string | null = null;
  const parts = partsOf(list, { work, converter, next: (cursor) => (next = cursor) });
  return respond.list(limitedParts(parts, work), { total: list.count, limit, offset, next: () => next });
}

/** An empty list. */
export function respondWithNone({ limit, offset }: PageQuery): HandlerResponse<never> {
  return respond.list(noParts(), { total: () => Promise.resolve(0), limit, offset });
}

// oxlint-disable-next-line typescript/require-await -- there is nothing to wait for
async function* noParts(): AsyncGenerator<ListPart> {
  yield* [];
}

async function* partsOf<T>(
  list: StoredList<T>,
  { work, converter, next }: { work: Work; converter: Converter<T>; next: (cursor: string) => void },
): AsyncGenerator<ListPart> {
  let most = FIRST_ROWS;
  for await (const chunk of list.chunks(next, () => most)) {
    const convert = await converter(chunk);
    const textOf = (row: T): string => `,${JSON.stringify(convert(row))}`;
    let done = 0;
    let bytes = 0;
    while (done < chunk.length) {
      const part = await work.use(() => nextTurn(partOf(chunk, done, textOf)));
      yield part;
      done += part.rows;
      bytes += part.text.length;
    }
    most = Math.max(1, Math.min(CHUNK_ROWS, Math.floor((CHUNK_BYTES * done) / bytes)));
  }
}

function partOf<T>(chunk: readonly T[], from: number, textOf: (row: T) => string): ListPart {
  let text = "";
  let rows = 0;
  for (let at = from; at < chunk.length && text.length < PART_BYTES; at++) {
    text += textOf(chunk[at] as T);
    rows += 1;
  }
  return { text: Buffer.from(text), rows };
}

/** @throws AppError `rate_limited` before a long list is sent, if the organization has no free stream */
async function* limitedParts(parts: AsyncIterable<ListPart>, work: Work): AsyncGenerator<ListPart> {
  let release: (() => void) | null = null;
  let bytes = 0;
  try {
    for await (const part of parts) {
      bytes += part.text.length;
      if (bytes > STREAM_BYTES) release ??= await work.openStream();
      yield part;
    }
  } finally {
    release?.();
  }
}
