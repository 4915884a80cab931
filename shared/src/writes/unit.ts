import type { ClientSession } from "mongodb";
import type { UnitOfWork } from "../work.js";

// The transaction of a request whose response is part of it: it stays open until the response is made, and then commits
// or rolls back with it. Handlers call `transaction` as usual; `afterCommit` runs what may only follow the commit.

/** Thrown for a retryable failure of the commit: the handler already has its result, and runs again. */
export class Again extends Error {
  override readonly name = "Again";
}

export interface UnitOptions {
  readonly isDry: boolean;
  /** The start of an attempt. */
  readonly begin: (session: ClientSession) => Promise<void>;
}

/** A request's transaction, as seen by the code that sends the response. */
export interface Unit extends UnitOfWork {
  /** A transaction is pending; a request that changes nothing has none. */
  isPending(): boolean;
  /**
   * Commits the transaction and runs what follows. @param last final step inside it; if it throws, everything is rolled
   * back
   */
  end(last: (session: ClientSession) => Promise<void>): Promise<void>;
  /** Runs what follows the commit. */
  finish(): Promise<void>;
  /** Rolls back if not ended. */
  abandon(): Promise<void>;
}

type Last = (session: ClientSession) => Promise<void>;

interface PendingTransaction {
  readonly decide: (last: Last) => void;
  readonly ended: Promise<unknown>;
}

export function createUnit({ isDry, begin }: UnitOptions): Unit {
  const following: (() => Promise<void> | void)[] = [];
  const undoing: (() => Promise<void>)[] = [];
  let pending: PendingTransaction | null = null;

  const unit: Unit = {
    isDry,
    isPending: () => pending !== null,
    within: (run, body) => {
      if (pending !== null) throw new Error("a request has one transaction");
      return new Promise((resolve, reject) => {
        let isGiven = false;
        let decide: (last: Last) => void = () => undefined;
        const decided = new Promise<Last>((decision) => (decide = decision));
        const ended: Promise<unknown> = run(async (session, attempt) => {
          if (isGiven) throw new Again();
          await begin(session);
          const result = await body(session, attempt);
          isGiven = true;
          pending = { decide, ended };
          resolve(result);
          await (
            await decided
          )(session);
          return result;
        }).catch(async (error: unknown) => {
          for (const task of undoing) await task();
          throw error;
        });
        // No effect once the result exists: its outcome is decided by `end`.
        (ended as ReturnType<typeof run>).then(resolve, reject);
      });
    },
    afterCommit: (task) => {
      following.push(task);
    },
    afterUndone: (task) => {
      undoing.push(task);
    },
    end: async (last) => {
      const waiting = pending;
      pending = null;
      waiting?.decide(last);
      await waiting?.ended;
    },
    finish: async () => {
      for (const task of following) await task();
    },
    abandon: async () => {
      await unit.end(() => Promise.reject(new Again())).catch(() => undefined);
    },
  };
  return unit;
}
