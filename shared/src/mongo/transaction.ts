import { setTimeout as delay } from "node:timers/promises";
import { MongoError, type ClientSession, type MongoClient, type TransactionOptions, WriteConcern } from "mongodb";
import { AppError } from "../errors.js";
import { createAbandonedSweep } from "./abandoned.js";
import { mapMongoFault } from "./faults.js";
import { createKeyedQueue } from "./queue.js";

// The driver's own `withTransaction` goes on for two minutes and cannot be bounded, hence this loop. A body may run
// several times: it has no side effects but on the database, runs its operations one after another, and its first
// operation writes the document that serialises it (the lock). A duplicate key ends the body at once and reaches the
// caller, because a transaction in which it was caught is dead.

/** Milliseconds that all attempts of a transaction may take together. */
export const TRANSACTION_MS = 6_000;

/** Milliseconds of conflicts after which their cause may be a process that is no more. */
const HELD_MS = 250;

const OPTIONS: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: new WriteConcern("majority", undefined, true),
  readPreference: "primary",
};

/** Thrown by a body that finds nothing to change: all it wrote is undone, and the transaction answers `value`. */
export class Discard<T> extends Error {
  override readonly name = "Discard";

  constructor(readonly value: T) {
    super("nothing to change");
  }
}

export type TransactionBody<T> = (session: ClientSession) => Promise<T>;

/**
 * Runs a body in a transaction that is committed when it returns and undone when it throws.
 *
 * @param keys what is written, such as the ids of hosts, in any order; transactions of this process with a key in
 *   common run one after another
 * @throws AppError `write_conflict` when other writers were faster until the time was up
 */
export type RunTransaction = <T>(keys: readonly string[], body: TransactionBody<T>) => Promise<T>;

/** Makes the function that runs transactions on one client. */
export function createTransactions(client: MongoClient): RunTransaction {
  const queue = createKeyedQueue();
  const endAbandoned = createAbandonedSweep(client);
  return async (keys, body) => {
    const deadline = performance.now() + TRANSACTION_MS;
    // In one order for all callers, or two of them would wait for each other for ever.
    const ordered = [...new Set(keys)].sort();
    return queue.run(ordered, () =>
      client.withSession((session) => attempts(session, { body, deadline, endAbandoned })),
    );
  };
}

interface Attempted<T> {
  readonly body: TransactionBody<T>;
  readonly deadline: number;
  readonly endAbandoned: () => Promise<void>;
}

async function attempts<T>(session: ClientSession, { body, deadline, endAbandoned }: Attempted<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      session.startTransaction(OPTIONS);
      const result = await body(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      if (error instanceof Discard) return error.value as T;
      if (!(error instanceof MongoError) || !error.hasErrorLabel("TransientTransactionError")) throw error;
      const waitMs = backOffMs(attempt);
      if (performance.now() + waitMs > deadline)
        throw mapMongoFault(error) ?? new AppError("write_conflict", {}, error);
      if (performance.now() > deadline - TRANSACTION_MS + HELD_MS) await endAbandoned();
      await delay(waitMs);
    }
  }
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
 * Between 2 and 34 ms with jitter, and shrinking: who has waited long tries oftener than who has just come, or the writers of
 * one process, who stand in a queue, would keep those of another away.
 */
function backOffMs(attempt: number): number {
  return 2 + Math.random() * Math.max(6, 32 / (attempt + 1));
}
