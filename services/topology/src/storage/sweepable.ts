import type { ClientSession, Document } from "mongodb";
import { STREAM_MS, UNCONFIRMED } from "@nts/shared/mongo/connect";
import { BY_ID, type IndexKey } from "./indexes.js";
import type { Scoped, ScopedCollection } from "./scoped-collection.js";

/** What matches of one organization. */
export type Matching = Scoped & { readonly organization_id: string } & Readonly<Record<string, unknown>>;

/** What a sweep does with the hidden documents of a collection. */
export interface Sweepable {
  /**
   * The ids of what matches, by one cursor: beginning again would pass over everything that was deleted just now.
   *
   * @param hint of the index that tells what matches
   */
  ids(matching: Matching, { hint, batch }: { hint: IndexKey; batch: number }): AsyncIterable<{ readonly _id: string }>;
  /** @returns how many were deleted */
  remove(organizationId: string, ids: readonly string[], tx?: ClientSession): Promise<number>;
}

export function sweepable<T extends Document>(scoped: ScopedCollection<T>): Sweepable {
  const collection = scoped as unknown as ScopedCollection<{ _id: string; organization_id: string }>;
  return {
    ids: (matching, { hint, batch }) =>
      collection.find(matching, { hint, projection: { _id: 1 }, batchSize: batch, maxTimeMS: STREAM_MS }),
    remove: async (organization_id, ids, tx) => {
      const gone = { organization_id, _id: { $in: [...ids] } };
      // The entry that the deletion is swept is waited for, and stands behind.
      const how = tx === undefined ? { writeConcern: UNCONFIRMED } : { session: tx };
      return (await collection.deleteMany(gone, { hint: BY_ID, ...how })).deletedCount;
    },
  };
}
