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
  updateMany(filter: ScopedFilter<T>, update: Update<T>, options?: UpdateOptions): Promise<UpdateResult<T>>;
  deleteMany(filter: ScopedFilter<T>, options?: DeleteOptions): Promise<DeleteResult>;
  bulkWrite(updates: readonly ScopedUpdate<T>[], options?: BulkWriteOptions): Promise<BulkWriteResult>;
}

/** Opens a collection whose documents belong to organizations. */
export function scopedCollection<T extends Document>(db: Db, name: string): ScopedCollection<T> {
  return db.collection<T>(name);
}
