import type { ClientSession, Document } from "mongodb";
import { UNCONFIRMED } from "@nts/shared/mongo/connect";
import { DEADLINES } from "@nts/shared/timing";
import type { StoredFields } from "./entities.js";
import { STORED } from "./entity-reader.js";
import { BY_ID, type IndexKey } from "./indexes.js";
import type { Scoped, ScopedCollection } from "./scoped-collection.js";

/** Matching documents of one organization. */
export type Matching = Scoped & { readonly organization_id: string } & Readonly<Record<string, unknown>>;

interface Sweeping {
  /** The index for the filter. */
  readonly hint: IndexKey;
  /** Documents read per command. */
  readonly batch: number;
}

/** A document with the fields from which its entity is read. */
export type SweptEntity = StoredFields & { readonly _id: string };

/**
 * The operations of a sweep on the hidden documents of a collection. Matches come from a single cursor, as a new one would
 * skip all recently deleted entries.
 */
export interface Sweepable {
  ids(matching: Matching, how: Sweeping): AsyncIterable<string>;
  /** The documents themselves, with the fields of an entity. */
  entities(matching: Matching, how: Sweeping): AsyncIterable<SweptEntity>;
  /** @returns the number of deleted documents */
  remove(organizationId: string, ids: readonly string[], tx?: ClientSession): Promise<number>;
}

export function sweepable<T extends Document>(scoped: ScopedCollection<T>): Sweepable {
  const collection = scoped as unknown as ScopedCollection<{ _id: string; organization_id: string }>;
  const find = <Found extends Document>(matching: Matching, { hint, batch }: Sweeping, projection: Document) =>
    collection.find<Found>(matching, { hint, projection, batchSize: batch, maxTimeMS: DEADLINES.streamMs });
  return {
    ids: (matching, how) => find<{ readonly _id: string }>(matching, how, { _id: 1 }).map(({ _id }) => _id),
    entities: (matching, how) => find(matching, how, { ...STORED, _id: 1 }),
    remove: async (organization_id, ids, tx) => {
      const gone = { organization_id, _id: { $in: [...ids] } };
      // The sweep's final entry is acknowledged, and comes later.
      const how = tx === undefined ? { writeConcern: UNCONFIRMED } : { session: tx };
      return (await collection.deleteMany(gone, { hint: BY_ID, ...how })).deletedCount;
    },
  };
}
