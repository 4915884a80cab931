import type { Db, Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Moment, rawBatches, type RawBatch, rawCount, type RawFind } from "@nts/shared/mongo/raw-find";
import type { Shares } from "@nts/shared/shares";
import type { Scoped } from "./scoped-collection.js";

// The connections belong to all organizations. So every read on behalf of one takes a turn of its share, for as long as it
// occupies a connection; a transaction takes one turn for all that it reads and writes.

/** A find of documents of an organization. */
export interface ScopedFind extends RawFind {
  readonly filter: Scoped & Document;
}

/** The database of the service. */
export interface Database {
  readonly db: Db;
  /** Runs a read that is no part of a transaction within its organization's share. @throws AppError `rate_limited` */
  share<T>(scope: Pick<Scope, "organizationId">, read: () => Promise<T>): Promise<T>;
  /** {@link rawBatches}, each batch within the organization's share. */
  batches(scope: Scope, find: ScopedFind, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
  /** How many documents match at a moment. */
  countAt(scope: Scope, find: Pick<ScopedFind, "collection" | "filter" | "hint">, moment: Moment): Promise<number>;
  /** Lets requests go first, for a while: background work begins when none of them uses the database. */
  idle(): Promise<void>;
}

/** What the database takes of {@link Shares}; without `idle` nothing is let go first. */
export type DatabaseShares = Pick<Shares, "use"> & Partial<Pick<Shares, "idle">>;

/** Milliseconds after which background work begins although there are requests. */
const PATIENCE_MS = 30;

/** No request waits for another. */
export const UNSHARED: DatabaseShares = { use: (_organizationId, task) => task() };

export function sharedDatabase(db: Db, shares: DatabaseShares): Database {
  const share: Database["share"] = ({ organizationId }, read) => shares.use(organizationId, read);
  return {
    db,
    share,
    batches: (scope, find, moment) => rawBatches(db, find, moment, (command) => share(scope, command)),
    idle: async () => shares.idle?.(PATIENCE_MS),
    countAt: (scope, find, moment) => share(scope, () => rawCount(db, find, moment)),
  };
}
