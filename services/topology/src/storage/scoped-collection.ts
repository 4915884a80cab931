import type {
  AggregateOptions,
  AggregationCursor,
  BulkWriteOptions,
  BulkWriteResult,
  CountDocumentsOptions,
  Db,
  DeleteOptions,
  DeleteResult,
  Document,
  Filter,
  FindCursor,
  FindOneAndUpdateOptions,
  FindOptions,
  InsertManyResult,
  OptionalUnlessRequiredId,
  UpdateFilter,
  UpdateOptions,
  UpdateResult,
  WithId,
} from "mongodb";
import { turnsOf } from "./large-writes.js";

// Every document belongs to an organization. Operations without an organization in their filter do not compile, and raw
// driver collections are only opened in this folder.

/** A filter for one or several organizations. */
export interface Scoped {
  readonly organization_id: string | { readonly $in: readonly string[] };
}

type ScopedFilter<T> = Filter<T> & Scoped;
type Update<T> = UpdateFilter<T> | Document[];

export interface ScopedUpdate<T> {
  readonly updateOne: {
    readonly filter: ScopedFilter<T>;
    readonly update: Update<T>;
    readonly upsert?: boolean;
    readonly hint?: Document;
  };
}

/** About how many documents a command writes. */
interface Sized {
  /** By default few. */
  readonly documents?: number;
}

/** The used part of the driver's collection. */
export interface ScopedCollection<T extends Document> {
  find<Found extends Document = WithId<T>>(filter: ScopedFilter<T>, options?: FindOptions): FindCursor<Found>;
  findOne<Found extends Document = WithId<T>>(filter: ScopedFilter<T>, options?: FindOptions): Promise<Found | null>;
  findOneAndUpdate(
    filter: ScopedFilter<T>,
    update: Update<T>,
    options: FindOneAndUpdateOptions,
  ): Promise<WithId<T> | null>;
  countDocuments(filter: ScopedFilter<T>, options?: CountDocumentsOptions): Promise<number>;
  aggregate<Found extends Document>(
    stages: [{ readonly $match: Scoped & Document }, ...Document[]],
    options?: AggregateOptions,
  ): AggregationCursor<Found>;
  insertMany(
    documents: readonly OptionalUnlessRequiredId<T>[],
    options?: BulkWriteOptions,
  ): Promise<InsertManyResult<T>>;
  updateOne(filter: ScopedFilter<T>, update: Update<T>, options?: UpdateOptions): Promise<UpdateResult<T>>;
  updateMany(filter: ScopedFilter<T>, update: Update<T>, options?: UpdateOptions & Sized): Promise<UpdateResult<T>>;
  deleteMany(filter: ScopedFilter<T>, options?: DeleteOptions & Sized): Promise<DeleteResult>;
  bulkWrite(updates: readonly ScopedUpdate<T>[], options?: BulkWriteOptions): Promise<BulkWriteResult>;
}

/**
 * Opens a collection whose documents belong to organizations.
 *
 * Its writes take turns if they are large, see `large-writes.ts`.
 */
export function scopedCollection<T extends Document>(db: Db, name: string): ScopedCollection<T> {
  const collection = db.collection<T>(name);
  const inTurn = turnsOf(db.client);
  return {
    find: (filter, options) => collection.find(filter, options) as FindCursor<never>,
    findOne: (filter, options) => collection.findOne(filter, options) as Promise<never>,
    findOneAndUpdate: (filter, update, options) => collection.findOneAndUpdate(filter, update, options),
    countDocuments: (filter, options) => collection.countDocuments(filter, options),
    aggregate: (stages, options) => collection.aggregate(stages, options),
    updateOne: (filter, update, options) => collection.updateOne(filter, update, options),
    insertMany: (inserted, options) => {
      const write = { documents: inserted.length, owner: inserted[0], ...options };
      return inTurn(write, () => collection.insertMany(inserted, options));
    },
    bulkWrite: (updates, options) => {
      const write = { documents: updates.length, owner: updates[0]?.updateOne.filter, ...options };
      return inTurn(write, () => collection.bulkWrite(updates, options));
    },
    updateMany: (filter, update, { documents = 0, ...options } = {}) =>
      inTurn({ documents, owner: filter, ...options }, () => collection.updateMany(filter, update, options)),
    deleteMany: (filter, { documents = 0, ...options } = {}) =>
      inTurn({ documents, owner: filter, ...options }, () => collection.deleteMany(filter, options)),
  };
}
