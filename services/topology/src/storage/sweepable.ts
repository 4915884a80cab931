import type { ClientSession, Document } from "mongodb";
import { STREAM_MS, UNCONFIRMED } from "@nts/shared/mongo/connect";
import { BY_ID, type IndexKey } from "./indexes.js";
import type { Scoped, ScopedCollection } from "./scoped-collection.js";

/** Matching documents of one organization. */
export type Matching = Scoped & { readonly organization_id: string } & Readonly<Record<string, unknown>>;

/** The operations of a sweep on the hidden documents of a collection. */
export interface Sweepable {
  /**
   * The matching ids from a single cursor, as a new one would skip all recently deleted entries.
   *
   * @param hint the index for the filter
   */
  ids(matching: Matching, { hint, batch }: { hint: IndexKey; batch: number }): AsyncIterable<{ readonly _id: string }>;
  /** @returns the number of deleted documents */
  remove(organizationId: string, ids: readonly string[], tx?: ClientSession): Promise<number>;
}

export function sweepable<T extends Document>(scoped: ScopedCollection<T>): Sweepable {
  const collection = scoped as unknown as ScopedCollection<{ _id: string; organization_id: string }>;
  return {
    ids: (matching, { hint, batch }) =>
      collection.find(matching, { hint, projection: { _id: 1 }, batchSize: batch, maxTimeMS: STREAM_MS }),
    remove: async (organization_id, ids, tx) => {
      const gone = { organization_id, _id: { $in: [...ids] } };
      // The sweep's final entry is acknowledged, and comes later.
      const how = tx === undefined ? { writeConcern: UNCONFIRMED } : { session: tx };
      return (await collection.deleteMany(gone, { hint: BY_ID, ...how })).deletedCount;
    },
  };
}
