import type { Collection, Document, Filter } from "mongodb";
import type { PageInfo } from "@nts/shared/http/answer";
import { keysetOf, type ListIdentity, type PageQuery } from "@nts/shared/mongo/keyset";
import type { Database } from "./database.js";

/** A page of the documents that match, in the order of the query, with their total. */
export async function readPage<T extends Document>(
  { collection, share }: { readonly collection: Collection<T>; readonly share: Database["share"] },
  list: ListIdentity,
  filter: Filter<T>,
  query: PageQuery,
): Promise<{ found: T[]; page: PageInfo }> {
  const { limit, offset } = query;
  const { sort, segments, cursorAfter } = keysetOf(list, query);
  const count = (): Promise<number> => share(list.organizationId, () => collection.countDocuments(filter));
  const [found, total] = await Promise.all([readSegments(), count()]);
  const hasMore = limit !== 0 && found.length > limit;
  if (hasMore) found.length = limit;
  const last = found.at(-1);
  const next = hasMore && last !== undefined ? cursorAfter(last) : null;
  return { found, page: { total, limit, offset, next } };

  async function readSegments(): Promise<T[]> {
    const rows: T[] = [];
    for (const segment of segments) {
      // One more than the page has, which tells whether another page follows.
      const most = limit === 0 ? 0 : limit + 1 - rows.length;
      if (limit !== 0 && most <= 0) break;
      const behind = { $and: [filter, segment as Filter<T>] } as Filter<T>;
      const read = (): Promise<T[]> => collection.find<T>(behind).sort(sort).skip(offset).limit(most).toArray();
      rows.push(...(await share(list.organizationId, read)));
    }
    return rows;
  }
}
