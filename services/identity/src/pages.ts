import { setImmediate as nextTurn } from "node:timers/promises";
import type { Collection, Document, Filter } from "mongodb";
import { respond, type HandlerResponse, type ListPart } from "@nts/shared/http/respond";
import { type Keyset, keysetOf, type ListIdentity, type PageQuery } from "@nts/shared/mongo/keyset";
import type { Work } from "@nts/shared/work";
import type { Database } from "./database.js";

// Rows may be long: one that names all networks of its organization takes 200 KB. So lists are read in chunks and
// converted in parts while they are sent. Each part waits for the organization's turn, and lets others go first.

/** Rows of the first chunk, whose length is not known, and maximum of later ones. */
const [FIRST_ROWS, CHUNK_ROWS] = [10, 100];
/** Text of a chunk, by the length of the rows before it. */
const CHUNK_BYTES = 262_144;
/** Text converted and sent at a time, at least one row. */
const PART_BYTES = 65_536;
/** A longer list takes one of the organization's stream slots; less than what is gathered before sending begins. */
export const STREAM_BYTES = 131_072;

/** The source of a list. */
export interface Rows<T extends Document> {
  /** @param behind a further condition */
  read(
    behind: Filter<T>,
    page: { readonly sort: Keyset["sort"]; readonly skip: number; readonly most: number },
  ): Promise<T[]>;
  count(): Promise<number>;
}

/** The matching documents of a collection. */
export function rowsIn<T extends Document>(collection: Collection<T>, filter: Filter<T>): Rows<T> {
  return {
    read: (behind, { sort, skip, most }) => {
      const those = { $and: [filter, behind] } as Filter<T>;
      return collection.find<T>(those).sort(sort).skip(skip).limit(most).toArray();
    },
    count: () => collection.countDocuments(filter),
  };
}

/** A list that can be read. */
export interface StoredList<T> {
  readonly query: PageQuery;
  /**
   * Rows in query order, in chunks.
   *
   * @param next is told the cursor of the next page, if there is one
   * @param most maximum rows of a chunk
   */
  chunks(next: (cursor: string) => void, most: () => number): AsyncGenerator<readonly T[]>;
  count(): Promise<number>;
}

interface Source<T extends Document> {
  readonly rows: Rows<T>;
  readonly share: Database["share"];
  readonly understood: (found: T) => T;
}

/** @throws AppError `cursor_invalid` · `validation_failed` for an offset with a cursor */
export function storedList<T extends Document>(
  { rows, share, understood }: Source<T>,
  identity: ListIdentity,
  query: PageQuery,
): StoredList<T> {
  const { sort, segments: first, behind, cursorAfter } = keysetOf(identity, query);

  async function* chunks(next: (cursor: string) => void, most: () => number): AsyncGenerator<readonly T[]> {
    let left = query.limit === 0 ? Infinity : query.limit;
    let [segments, skip, last] = [first, query.offset, null as T | null];
    for (;;) {
      // One extra row shows whether another page follows.
      const asked = Math.min(most(), left + 1);
      const found = await read(segments, skip, asked);
      const page = found.slice(0, left);
      last = page.at(-1) ?? last;
      if (last === null) return;
      if (found.length > left) next(cursorAfter(last));
      if (page.length > 0) yield page.map(understood);
      if (found.length > left || found.length < asked) return;
      left -= page.length;
      [segments, skip] = [behind(last), 0];
    }
  }

  async function read(segments: Keyset["segments"], skip: number, most: number): Promise<T[]> {
    const found: T[] = [];
    for (const segment of segments) {
      if (found.length === most) break;
      const part = { sort, skip, most: most - found.length };
      found.push(...(await share(identity.organizationId, () => rows.read(segment as Filter<T>, part))));
    }
    return found;
  }

  return { query, chunks, count: () => share(identity.organizationId, rows.count) };
}

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
    let [done, bytes] = [0, 0];
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
  let [text, rows] = ["", 0];
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
      if (bytes > STREAM_BYTES) release ??= work.openStream();
      yield part;
    }
  } finally {
    release?.();
  }
}
