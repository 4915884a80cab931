import { performance } from "node:perf_hooks";
import { type ClientSession, type Db, type Document, MongoBulkWriteError, MongoServerError, ObjectId } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { createBatcher } from "@nts/shared/scheduling/batcher";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import { byText } from "./authorship.js";
import { BY_ID } from "./indexes.js";
import type { ScopedCollection, ScopedUpdate } from "./scoped-collection.js";
import type { Entities, Entity, EntityDocument, Stored } from "./entities.js";

// Single-document updates need no transaction: they are conditional on the revision that was read. Concurrent ones of
// an organization share a command: eight together cost the database as much as two separate ones.

/** Maximum writes per command. */
const MOST = 64;
/** Concurrent commands per organization; further writes accumulate. */
const AT_A_TIME = 2;
/** Timeout of a command in milliseconds, as a transaction may hold one of its documents. */
const LOCKED_MS = 500;
/** Milliseconds before the caller's deadline after which nothing is written. */
const WRITE_MS = 100;
/** The server's error code for an insert whose `_id` differs from the filter. */
const IMMUTABLE_FIELD = 66;

/**
 * The outcome of a write. `stale`: the entity has changed, is deleted, or is claimed for transactions; `locked`: a
 * transaction is writing it. In both cases nothing was written.
 */
export type Outcome = "written" | "stale" | "locked";

/** Writes single entities without a transaction. */
export interface ShortWrites<T extends Entity> {
  /**
   * Runs updates of one entity in this process sequentially.
   *
   * @param read the entity, in the caller's scope
   * @param update gets the entity as left by the previous update, if newer, and returns its result
   */
  inTurn(read: Stored<T>, update: (newest: Stored<T>) => Promise<Stored<T>>): Promise<Stored<T>>;
  /**
   * Writes the successor of the state that was read.
   *
   * @throws AppError `upstream_timeout` if the caller has disconnected, or the outcome is unknown
   */
  write(work: Work, scope: Scope, next: Stored<T>): Promise<Outcome>;
}

interface Write {
  readonly work: Work;
  readonly id: string;
  readonly revision: number;
  /** Distinguishes this write from others that may have led to the same revision. */
  readonly nonce: ObjectId;
  readonly filter: ScopedUpdate<EntityDocument>["updateOne"]["filter"];
  readonly fields: Document;
}

export function createShortWrites<T extends Entity>(db: Db, entities: Entities<T>): ShortWrites<T> {
  const { collection } = entities;
  const together = createBatcher<Write, Outcome>({
    atATime: AT_A_TIME,
    fits: (writes) => writes.length < MOST,
    run: (writes, organizationId) => runAll({ db, collection, organizationId }, writes),
  });
  return {
    inTurn: createTurns<T>(),
    write: (work, scope, next) => {
      const { organizationId } = scope;
      const { revision } = next;
      const { _id: id, ...stored } = entities.documentOf(organizationId, next);
      const fields = { ...stored, by: byText(work.author, organizationId, revision) };
      const filter = { ...entities.within(scope), _id: id, revision: revision - 1, claimed: { $ne: true } };
      return together(organizationId, { work, id, revision, nonce: new ObjectId(), filter, fields });
    },
  };
}

/** Runs the updates of one entity sequentially, each on the result of the previous one. */
function createTurns<T extends Entity>(): ShortWrites<T>["inTurn"] {
  const queue = createFairQueue({ ofKey: 1 });
  const turns = new Map<string, { users: number; left: Stored<T> | null }>();
  return async (read, update) => {
    const { id } = read.entity;
    const turn = turns.get(id) ?? { users: 0, left: null };
    turns.set(id, turn);
    turn.users += 1;
    try {
      return await queue.run(async () => {
        const { left } = turn;
        turn.left = await update(left !== null && left.revision > read.revision ? left : read);
        return turn.left;
      }, id);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(id);
    }
  };
}

interface Destination {
  readonly db: Db;
  readonly collection: ScopedCollection<EntityDocument>;
  readonly organizationId: string;
}

type Settled = PromiseSettledResult<Outcome>;

const fulfilled = (value: Outcome): Settled => ({ status: "fulfilled", value });
const rejected = (reason: unknown): Settled => ({ status: "rejected", reason });

/** Executes the writes that are still awaited in one command. */
async function runAll(destination: Destination, writes: readonly Write[]): Promise<Settled[]> {
  const [first] = writes;
  if (first === undefined) return [];
  // Counts as one concurrent operation of the organization, for all its requests.
  return first.work.use(async () => {
    const faults = writes.map(faultOf);
    const awaited = writes.filter((_, n) => faults[n] === null);
    const outcomes = awaited.length === 0 ? [] : await run(destination, awaited);
    const byWrite = new Map(awaited.map((write, n) => [write, outcomes[n]]));
    return writes.map((write, n) => byWrite.get(write) ?? rejected(faults[n]));
  });
}

/** Why a write is no longer awaited; null if it is. */
function faultOf({ work }: Write): unknown {
  try {
    requireNotAbandoned(work);
    return performance.now() < work.deadline - WRITE_MS ? null : new AppError("upstream_timeout");
  } catch (error) {
    return error;
  }
}

async function run(destination: Destination, writes: readonly Write[]): Promise<Settled[]> {
  const { db, collection } = destination;
  // In a session, so that reads after an interrupted command are not older than its writes.
  return db.client.withSession(async (session) => {
    const timesLeft = writes.map(({ work }) => work.deadline - WRITE_MS - performance.now());
    const maxTimeMS = Math.max(1, Math.floor(Math.min(LOCKED_MS, ...timesLeft)));
    try {
      await collection.bulkWrite(writes.map(updateOf), { session, ordered: false, maxTimeMS });
      return writes.map(() => fulfilled("written"));
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      return isCutOff(error) ? settleInterrupted(destination, session, writes) : settle(writes, error);
    }
  });
}

/** The outcome of each write of an interrupted command. */
async function settleInterrupted(
  { collection, organizationId }: Destination,
  session: ClientSession,
  writes: readonly Write[],
): Promise<Settled[]> {
  const filter = { organization_id: organizationId, _id: { $in: writes.map(({ id }) => id) } };
  const options = { session, projection: { revision: 1, nonce: 1 }, hint: BY_ID };
  const found = await collection.find(filter, options).toArray();
  const byId = new Map(found.map((one) => [one._id, one]));
  return writes.map((write) => settleBy(write, byId.get(write.id)));
}

/** An upsert that fails if nothing matches, because a reply does not tell otherwise which one failed. */
function updateOf({ filter, fields, nonce }: Write): ScopedUpdate<EntityDocument> {
  const update: Document = { $set: { ...fields, nonce }, $setOnInsert: { _id: "nothing" } };
  return { updateOne: { filter, update, upsert: true, hint: BY_ID } };
}

/** The outcome of each write of a completed command. */
function settle(writes: readonly Write[], error: MongoBulkWriteError): Settled[] {
  const failed = new Map([error.writeErrors].flat().map((one) => [one.index, one]));
  if (failed.size === 0) throw error;
  return writes.map((_, index) => {
    const fault = failed.get(index);
    if (fault === undefined) return fulfilled("written");
    if (fault.code === IMMUTABLE_FIELD) return fulfilled("stale");
    return rejected(new MongoServerError({ message: fault.errmsg ?? "a write failed", code: fault.code }));
  });
}

/** Whether a command was interrupted before it completed, or before a majority acknowledged it. */
function isCutOff(error: MongoBulkWriteError): boolean {
  return mapMongoFault(error)?.code === "upstream_timeout" || error.result.getWriteConcernError() !== undefined;
}

/** The outcome of a write of an interrupted command. @param found the entity afterwards */
function settleBy({ revision, nonce }: Write, found: EntityDocument | undefined): Settled {
  if (found === undefined) return fulfilled("stale");
  if (nonce.equals(found["nonce"] as ObjectId | undefined)) return fulfilled("written");
  if (found.revision < revision) return fulfilled("locked");
  if (found.revision === revision) return fulfilled("stale");
  // It may have been the one before the last.
  return rejected(new AppError("upstream_timeout"));
}
