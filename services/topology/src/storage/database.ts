import type { ClientSession, Db, Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Moment, rawBatches, rawCount, type RawFind } from "@nts/shared/mongo/raw-find";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import type { Shares } from "@nts/shared/scheduling/shares";
import { restFor, turnsOf } from "./large-writes.js";
import type { Scoped } from "./scoped-collection.js";

// Organizations share the connections: every read takes a turn of its organization's share while it occupies a
// connection; a transaction takes one turn for all its operations.

/** A find of an organization's documents. */
export interface ScopedFind extends RawFind {
  readonly filter: Scoped & Document;
}

/** The database of the service. */
export interface Database {
  readonly db: Db;
  /** Runs a read outside a transaction within its organization's share. @throws AppError `rate_limited` */
  share<T>(scope: Pick<Scope, "organizationId">, read: () => Promise<T>): Promise<T>;
  /** {@link rawBatches}, each batch within the organization's share. */
  batches(scope: Scope, find: ScopedFind, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
  /** Counts matching documents at a snapshot. */
  countAt(scope: Scope, find: Pick<ScopedFind, "collection" | "filter" | "hint">, moment: Moment): Promise<number>;
  /**
   * Waits until it is the turn of a transaction that will write so many documents, before it locks any. Without this, it
   * waits at its first large command.
   */
  turn(tx: ClientSession, scope: Scope, documents: number): Promise<void>;
  /** Lets requests go first for a while: background work starts when none uses the database. */
  idle(): Promise<void>;
}

/** The used part of {@link Shares}; without `idle` and `arrived`, nothing is given precedence. */
export type DatabaseShares = Pick<Shares, "use"> & Partial<Pick<Shares, "idle" | "arrived">>;

/** Milliseconds after which background work starts despite requests. */
const LONGEST_WAIT_MS = 30;

/** Without shares. */
export const UNSHARED: DatabaseShares = { use: (_organizationId, task) => task() };

export function sharedDatabase(db: Db, shares: DatabaseShares): Database {
  const share: Database["share"] = ({ organizationId }, read) => shares.use(organizationId, read);
  const inTurn = turnsOf(db.client);
  if (shares.arrived !== undefined) restFor(db.client, shares.arrived);
  return {
    db,
    share,
    turn: (session, { organizationId: organization_id }, documents) =>
      inTurn({ documents, owner: { organization_id }, session }, () => Promise.resolve()),
    batches: (scope, find, moment) => rawBatches(db, find, moment, (command) => share(scope, command)),
    idle: async () => shares.idle?.(LONGEST_WAIT_MS),
    countAt: (scope, find, moment) => share(scope, () => rawCount(db, find, moment)),
  };
}
