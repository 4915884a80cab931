import type { Collection, Document, Filter } from "mongodb";
import type { PageInfo } from "@nts/shared/http/respond";
import { type Keyset, keysetOf, type ListIdentity, type PageQuery } from "@nts/shared/mongo/keyset";
import type { Database } from "./database.js";

/** The source of a list. */
export interface Rows<T extends Document> {
  /** @param behind a further condition · `most` 0 for no limit */
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

/** A page of rows in query order, with the total. */
export async function readPage<T extends Document>(
  { rows, share }: { readonly rows: Rows<T>; readonly share: Database["share"] },
  list: ListIdentity,
  query: PageQuery,
): Promise<{ found: T[]; page: PageInfo }> {
  const { limit, offset } = query;
  const { sort, segments, cursorAfter } = keysetOf(list, query);
  const [found, total] = await Promise.all([readSegments(), share(list.organizationId, () => rows.count())]);
  const hasMore = limit !== 0 && found.length > limit;
  if (hasMore) found.length = limit;
  const last = found.at(-1);
  const next = hasMore && last !== undefined ? cursorAfter(last) : null;
  return { found, page: { total, limit, offset, next } };

  async function readSegments(): Promise<T[]> {
    const read: T[] = [];
    for (const segment of segments) {
      // One extra row shows whether another page follows.
      const most = limit === 0 ? 0 : limit + 1 - read.length;
      if (limit !== 0 && most <= 0) break;
      const part = () => rows.read(segment as Filter<T>, { sort, skip: offset, most });
      read.push(...(await share(list.organizationId, part)));
    }
    return read;
  }
}
