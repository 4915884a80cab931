import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { MongoError, type ClientSession, type MongoClient, type TransactionOptions, WriteConcern } from "mongodb";
import { AppError } from "../errors.js";
import { DEADLINES } from "../timing.js";
import { callerOf, requireNotAbandoned, type TransactionBody, type Work } from "../work.js";
import { writeAs } from "../author.js";
import { createAbandonedSweep } from "./abandoned.js";
import { mapMongoFault } from "./faults.js";
import { createFairQueue } from "../scheduling/fair-queue.js";

// Replaces the driver's `withTransaction`, whose two minutes cannot be shortened. A body may run several times: it has
// no other side effects, runs its operations sequentially, and first writes the document that serializes it (the lock).

/** Milliseconds before the caller's deadline after which nothing is committed, because a commit takes time. */
const COMMIT_MS = 100;

/** Milliseconds of conflicts after which a dead process may be the cause. */
const HELD_MS = 250;

const OPTIONS: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: new WriteConcern("majority", undefined, true),
  readPreference: "primary",
  maxCommitTimeMS: DEADLINES.operationMs,
};

/** Thrown by a body that changes nothing: the transaction is rolled back and returns `value`. */
export class Discard<T> extends Error {
  override readonly name = "Discard";

  constructor(readonly value: T) {
    super("nothing to change");
  }
}

/** Thrown by a body to let another transaction go first: the transaction is rolled back and retried. */
export class MustYield extends Error {
  override readonly name = "MustYield";

  constructor() {
    super("another transaction goes first");
  }
}

/**
 * What is written: transactions of this process with a common key run one at a time. Keys of one organization, such as
 * host ids, in any order; or one of all organizations, which take turns.
 */
export type Written = readonly string[] | { readonly ofAll: string };

/**
 * Runs a body in a transaction that commits when it returns and rolls back when it throws.
 *
 * @param work the request; after it has ended, no attempt starts and nothing is committed
 * @throws AppError `write_conflict` if other writers won until the deadline · `upstream_timeout` if the caller has disconnected
 */
export type RunTransaction = <T>(work: Work, written: Written, body: TransactionBody<T>) => Promise<T>;

/** Creates the transaction runner of a client. */
export function createTransactions(client: MongoClient): RunTransaction {
  // Local to the process: it avoids write conflicts, but correctness does not depend on it.
  const queue = createFairQueue({ ofKey: 1 });
  const endAbandoned = createAbandonedSweep(client);
  return async (work, written, body) => {
    const startedAt = performance.now();
    const deadline = Math.min(startedAt + DEADLINES.transactionMs, work.deadline - COMMIT_MS);
    const run = <T>(given: TransactionBody<T>): Promise<T> => {
      const attempt = (): Promise<T> => attempts(client, { work, body: given, startedAt, deadline, endAbandoned });
      if ("ofAll" in written) {
        // One of each organization waits, and none for its share while it has the turn of all.
        const inTurn = (): Promise<T> => work.use(() => queue.run(attempt, written.ofAll));
        return queue.run(inTurn, `${written.ofAll} ${callerOf(work)}`);
      }
      // In one order for all callers, to avoid deadlocks.
      return queue.runWithAll([...new Set(written)].sort(), () => work.use(attempt));
    };
    return work.unit === undefined ? run(body) : work.unit.within(run, body);
  };
}

interface Attempted<T> {
  readonly work: Work;
  readonly body: TransactionBody<T>;
  readonly startedAt: number;
  readonly deadline: number;
  readonly endAbandoned: () => Promise<void>;
}

async function attempts<T>(client: MongoClient, attempted: Attempted<T>): Promise<T> {
  const { work, body, startedAt, deadline, endAbandoned } = attempted;
  let conflict: unknown;
  const inTime = (): void => {
    requireTime(work, deadline, conflict);
  };
  for (let attempt = 0; ; attempt++) {
    inTime();
    try {
      // A new session for each attempt, because choices made for a session, such as a shard of guards, are made again
      // after a conflict.
      const tried = { body: (tx: ClientSession) => body(tx, attempt), deadline, inTime };
      return await client.withSession((session) => {
        if (work.author !== undefined) writeAs(session, work.author);
        return attemptOnce(session, tried);
      });
    } catch (error) {
      if (error instanceof Discard) return error.value as T;
      if (!isTransient(error)) throw error;
      conflict = error;
      if (performance.now() > startedAt + HELD_MS) await endAbandoned();
      await delay(Math.max(0, Math.min(backOffMs(attempt), deadline - performance.now())));
    }
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof MustYield || (error instanceof MongoError && error.hasErrorLabel("TransientTransactionError"))
  );
}

interface Attempt<T> extends Pick<Attempted<T>, "deadline"> {
  readonly body: (tx: ClientSession) => Promise<T>;
  /** @throws AppError if it is too late */
  readonly inTime: () => void;
}

async function attemptOnce<T>(session: ClientSession, { body, deadline, inTime }: Attempt<T>): Promise<T> {
  try {
    session.startTransaction(OPTIONS);
    const result = await body(session);
    inTime();
    await commit(session, deadline);
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

/** @param conflict the error of the last attempt, if any */
function requireTime(work: Work, deadline: number, conflict: unknown): void {
  requireNotAbandoned(work);
  if (performance.now() > deadline) throw mapMongoFault(conflict) ?? new AppError("write_conflict", {}, conflict);
}

/** Retries a commit with unknown result, which is safe; the body must not run a second time. */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const unknown = error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");
      if (!unknown || performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}

/**
 * 2 to 34 ms with jitter, decreasing with each attempt: old transactions retry more often than new ones, so that the
 * queued writers of one process do not starve those of another.
 */
function backOffMs(attempt: number): number {
  return 2 + Math.random() * Math.max(6, 32 / (attempt + 1));
}
