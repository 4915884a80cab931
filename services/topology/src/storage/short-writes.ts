import { performance } from "node:perf_hooks";
import { type ClientSession, type Db, type Document, MongoBulkWriteError, MongoServerError, ObjectId } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { createKeyedQueue } from "@nts/shared/mongo/queue";
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

interface Waiting {
  readonly work: Work;
  readonly id: string;
  readonly revision: number;
  /** Distinguishes this write from others that may have led to the same revision. */
  readonly nonce: ObjectId;
  readonly filter: ScopedUpdate<EntityDocument>["updateOne"]["filter"];
  readonly fields: Document;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Pending writes of one organization. */
interface Line {
  readonly organizationId: string;
  readonly waiting: Waiting[];
  running: number;
  isScheduled: boolean;
}

export function createShortWrites<T extends Entity>(db: Db, entities: Entities<T>): ShortWrites<T> {
  const { collection } = entities;
  const lines = new Map<string, Line>();

  function schedule(line: Line): void {
    if (line.isScheduled || line.running === AT_A_TIME) return;
    if (line.waiting.length === 0) {
      if (line.running === 0) lines.delete(line.organizationId);
      return;
    }
    line.isScheduled = true;
    // After everything that arrived in this tick has been handled.
    setImmediate(() => {
      line.isScheduled = false;
      while (line.waiting.length > 0 && line.running < AT_A_TIME) void writeAll(line, line.waiting.splice(0, MOST));
    });
  }

  async function writeAll(line: Line, batch: readonly Waiting[]): Promise<void> {
    line.running += 1;
    try {
      // Counts as one concurrent operation of the organization, for all its requests.
      await batch[0]?.work.use(() => run({ db, collection }, line.organizationId, batch));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      line.running -= 1;
      schedule(line);
    }
  }

  return {
    inTurn: createTurns<T>(),
    write: (work, scope, next) =>
      new Promise((resolve, reject) => {
        const { organizationId } = scope;
        const { _id: id, ...stored } = entities.documentOf(organizationId, next);
        const fields = { ...stored, by: byText(work.author, organizationId, next.revision) };
        const filter = { ...entities.within(scope), _id: id, revision: next.revision - 1, claimed: { $ne: true } };
        const waiting = { work, id, revision: next.revision, nonce: new ObjectId(), filter, fields, resolve, reject };
        const line = lines.get(organizationId) ?? { organizationId, waiting: [], running: 0, isScheduled: false };
        lines.set(organizationId, line);
        line.waiting.push(waiting);
        schedule(line);
      }),
  };
}

/** Runs the updates of one entity sequentially, each on the result of the previous one. */
function createTurns<T extends Entity>(): ShortWrites<T>["inTurn"] {
  const queue = createKeyedQueue();
  const turns = new Map<string, { users: number; left: Stored<T> | null }>();
  return async (read, update) => {
    const { id } = read.entity;
    const turn = turns.get(id) ?? { users: 0, left: null };
    turns.set(id, turn);
    turn.users += 1;
    try {
      return await queue.run([id], async () => {
        const { left } = turn;
        turn.left = await update(left !== null && left.revision > read.revision ? left : read);
        return turn.left;
      });
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(id);
    }
  };
}

/** The destination. */
interface Written {
  readonly db: Db;
  readonly collection: ScopedCollection<EntityDocument>;
}

/** Executes the writes of a batch that are still awaited in one command. */
async function run({ db, collection }: Written, organizationId: string, batch: readonly Waiting[]): Promise<void> {
  const awaited = batch.filter(isAwaited);
  if (awaited.length === 0) return;
  // In a session, so that reads after an interrupted command are not older than its writes.
  await db.client.withSession(async (session) => {
    const timesLeft = awaited.map(({ work }) => work.deadline - WRITE_MS - performance.now());
    const maxTimeMS = Math.max(1, Math.floor(Math.min(LOCKED_MS, ...timesLeft)));
    try {
      await collection.bulkWrite(awaited.map(updateOf), { session, ordered: false, maxTimeMS });
      for (const { resolve } of awaited) resolve("written");
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      if (isCutOff(error)) await settleInterrupted(collection, session, organizationId, awaited);
      else settle(awaited, error);
    }
  });
}

/** Determines the outcome of writes after an interrupted command. */
async function settleInterrupted(
  collection: Written["collection"],
  session: ClientSession,
  organizationId: string,
  cutOff: readonly Waiting[],
): Promise<void> {
  const filter = { organization_id: organizationId, _id: { $in: cutOff.map(({ id }) => id) } };
  const options = { session, projection: { revision: 1, nonce: 1 }, hint: BY_ID };
  const found = await collection.find(filter, options).toArray();
  const byId = new Map(found.map((one) => [one._id, one]));
  for (const one of cutOff) settleBy(one, byId.get(one.id));
}

function isAwaited({ work, reject }: Waiting): boolean {
  try {
    requireNotAbandoned(work);
    if (performance.now() < work.deadline - WRITE_MS) return true;
    reject(new AppError("upstream_timeout"));
  } catch (error) {
    reject(error);
  }
  return false;
}

/** An upsert that fails if nothing matches, because a reply does not tell otherwise which one failed. */
function updateOf({ filter, fields, nonce }: Waiting): ScopedUpdate<EntityDocument> {
  const update: Document = { $set: { ...fields, nonce }, $setOnInsert: { _id: "nothing" } };
  return { updateOne: { filter, update, upsert: true, hint: BY_ID } };
}

/** The outcome of each write of a completed command. */
function settle(batch: readonly Waiting[], error: MongoBulkWriteError): void {
  const failed = new Map([error.writeErrors].flat().map((one) => [one.index, one]));
  if (failed.size === 0) throw error;
  for (const [index, { resolve, reject }] of batch.entries()) {
    const fault = failed.get(index);
    if (fault === undefined) resolve("written");
    else if (fault.code === IMMUTABLE_FIELD) resolve("stale");
    else reject(new MongoServerError({ message: fault.errmsg ?? "a write failed", code: fault.code }));
  }
}

/** Whether a command was interrupted before it completed, or before a majority acknowledged it. */
function isCutOff(error: MongoBulkWriteError): boolean {
  return mapMongoFault(error)?.code === "upstream_timeout" || error.result.getWriteConcernError() !== undefined;
}

/** The outcome of a write of an interrupted command. @param found the entity afterwards */
function settleBy({ revision, nonce, resolve, reject }: Waiting, found: EntityDocument | undefined): void {
  if (found === undefined) resolve("stale");
  else if (nonce.equals(found["nonce"] as ObjectId | undefined)) resolve("written");
  else if (found.revision < revision) resolve("locked");
  else if (found.revision === revision) resolve("stale");
  // It may have been the one before the last.
  else reject(new AppError("upstream_timeout"));
}
