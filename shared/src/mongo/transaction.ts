import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { MongoError, type ClientSession, type MongoClient, type TransactionOptions, WriteConcern } from "mongodb";
import { AppError } from "../errors.js";
import { requireWanted, type Work } from "../work.js";
import { writeAs } from "../writes/author.js";
import { createAbandonedSweep } from "./abandoned.js";
import { OPERATION_MS } from "./connect.js";
import { mapMongoFault } from "./faults.js";
import { createKeyedQueue } from "./queue.js";

// The driver's own `withTransaction` goes on for two minutes and cannot be bounded, hence this loop. A body may run
// several times: it has no side effects but on the database, runs its operations one after another, and its first
// operation writes the document that serialises it (the lock). A duplicate key ends the body at once and reaches the
// caller, because a transaction in which it was caught is dead.

/** Milliseconds that all attempts of a transaction may take together. */
export const TRANSACTION_MS = 6_000;

/** Milliseconds before the caller's deadline after which nothing is committed: a commit takes time, too. */
const COMMIT_MS = 100;

/** Milliseconds of conflicts after which their cause may be a process that is no more. */
const HELD_MS = 250;

const OPTIONS: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: new WriteConcern("majority", undefined, true),
  readPreference: "primary",
  maxCommitTimeMS: OPERATION_MS,
};

/** Thrown by a body that finds nothing to change: all it wrote is undone, and the transaction answers `value`. */
export class Discard<T> extends Error {
  override readonly name = "Discard";

  constructor(readonly value: T) {
    super("nothing to change");
  }
}

/** Thrown by a body that has to let another transaction go first: all it wrote is undone, and it is run again. */
export class GoesFirst extends Error {
  override readonly name = "GoesFirst";

  constructor() {
    super("another transaction goes first");
  }
}

/** @param attempt how many attempts have failed because others wrote the same; none when absent */
export type TransactionBody<T> = (tx: ClientSession, attempt?: number) => Promise<T>;

/**
 * Runs a body in a transaction that is committed when it returns and undone when it throws.
 *
 * @param work the request that wants it; once that is over, no attempt begins and nothing is committed
 * @param keys what is written, such as the ids of hosts, in any order; transactions of this process with a key in
 *   common run one after another
 * @throws AppError `write_conflict` when other writers were faster until the time was up · `upstream_timeout` when
 *   nobody waits for the result any more
 */
export type RunTransaction = <T>(work: Work, keys: readonly string[], body: TransactionBody<T>) => Promise<T>;

/** Makes the function that runs transactions on one client. */
export function createTransactions(client: MongoClient): RunTransaction {
  const queue = createKeyedQueue();
  const endAbandoned = createAbandonedSweep(client);
  return async (work, keys, body) => {
    const begun = performance.now();
    const deadline = Math.min(begun + TRANSACTION_MS, work.deadline - COMMIT_MS);
    // In one order for all callers, or two of them would deadlock.
    const ordered = [...new Set(keys)].sort();
    const run = <T>(given: TransactionBody<T>): Promise<T> =>
      queue.run(ordered, () => work.use(() => attempts(client, { work, body: given, begun, deadline, endAbandoned })));
    return work.unit === undefined ? run(body) : work.unit.within(run, body);
  };
}

interface Attempted<T> {
  readonly work: Work;
  readonly body: TransactionBody<T>;
  readonly begun: number;
  readonly deadline: number;
  readonly endAbandoned: () => Promise<void>;
}

async function attempts<T>(client: MongoClient, attempted: Attempted<T>): Promise<T> {
  const { work, body, begun, deadline, endAbandoned } = attempted;
  let conflict: unknown;
  const inTime = (): void => {
    requireTime(work, deadline, conflict);
  };
  for (let attempt = 0; ; attempt++) {
    inTime();
    try {
      // A session each: what is chosen for a session, such as a shard of guards, is chosen again after a lost race.
      const tried = { body: (tx: ClientSession) => body(tx, attempt), deadline, inTime };
      return await client.withSession((session) => {
        if (work.author !== undefined) writeAs(session, work.author);
        return attemptOnce(session, tried);
      });
    } catch (error) {
      if (error instanceof Discard) return error.value as T;
      if (!isTransient(error)) throw error;
      conflict = error;
      if (performance.now() > begun + HELD_MS) await endAbandoned();
      await delay(Math.max(0, Math.min(backOffMs(attempt), deadline - performance.now())));
    }
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof GoesFirst || (error instanceof MongoError && error.hasErrorLabel("TransientTransactionError"))
  );
}

interface Attempt<T> extends Pick<Attempted<T>, "deadline"> {
  readonly body: (tx: ClientSession) => Promise<T>;
  /** @throws AppError when it is too late */
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

/** @param conflict what the last attempt failed with, if there was one */
function requireTime(work: Work, deadline: number, conflict: unknown): void {
  requireWanted(work);
  if (performance.now() > deadline) throw mapMongoFault(conflict) ?? new AppError("write_conflict", {}, conflict);
}

/** A commit whose result is unknown is asked for again; that is safe, and the body must not run a second time. */
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
 * Between 2 and 34 ms with jitter. It shrinks with each attempt, so that a transaction that has waited long tries more
 * often than one that has just come, and the queued writers of one process do not starve those of another.
 */
function backOffMs(attempt: number): number {
  return 2 + Math.random() * Math.max(6, 32 / (attempt + 1));
}
