import type { Collection, Document, Filter } from "mongodb";
import { type Keyset, keysetOf, type ListIdentity, type PageQuery } from "@nts/shared/mongo/keyset";
import type { Database } from "./database.js";

// Rows may be long: one that names all networks of its organization takes 200 KB. So lists are read in chunks, each in
// the organization's turn.

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
    let segments = first;
    let skip = query.offset;
    let last: T | null = null;
    for (;;) {
      // One extra row shows whether another page follows.
      const requested = Math.min(most(), left + 1);
      const found = await read(segments, skip, requested);
      const page = found.slice(0, left);
      last = page.at(-1) ?? last;
      if (last === null) return;
      if (found.length > left) next(cursorAfter(last));
      if (page.length > 0) yield page.map(understood);
      if (found.length > left || found.length < requested) return;
      left -= page.length;
      segments = behind(last);
      skip = 0;
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
