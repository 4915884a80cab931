import type { ClientSession } from "mongodb";
import type { TransactionBody } from "../mongo/transaction.js";

// The transaction of a request whose answer belongs to it: it stays open until the answer is made, and is then kept together
// with it, or undone. So one mechanism serves every handler: it calls `transaction` as always, and what it does with the
// result still happens before the commit. Whatever may only follow a commit goes through `afterCommit`.

/** Thrown when a commit fails that another attempt may bring about: the handler has its result already, and is run again. */
export class Again extends Error {
  override readonly name = "Again";
}

/** A request's transaction, as handlers and `transaction` see it. */
export interface UnitOfWork {
  /** Nothing of it is kept. */
  readonly isDry: boolean;
  /** Runs a body in the transaction of the request, which may have one only. @param run makes attempts, and commits */
  within<T>(run: (body: TransactionBody<T>) => Promise<T>, body: TransactionBody<T>): Promise<T>;
  afterCommit(task: () => Promise<void> | void): void;
  /** Does what follows when the transaction is undone. */
  afterUndone(task: () => Promise<void>): void;
}

export interface UnitOptions {
  readonly isDry: boolean;
  /** What an attempt begins with. */
  readonly begin: (session: ClientSession) => Promise<void>;
}

/** A request's transaction, as seen by the code that answers the request. */
export interface Unit extends UnitOfWork {
  /** A transaction waits for its end; a request that changes nothing has none. */
  isHeld(): boolean;
  /** Lets the transaction end, and does what follows. @param last what it still does; when it throws, all is undone */
  end(last: (session: ClientSession) => Promise<void>): Promise<void>;
  /** Does what follows a commit. */
  finish(): Promise<void>;
  /** Undoes what has not ended. */
  abandon(): Promise<void>;
}

type Last = (session: ClientSession) => Promise<void>;

interface Held {
  readonly decide: (last: Last) => void;
  readonly ended: Promise<unknown>;
}

export function createUnit({ isDry, begin }: UnitOptions): Unit {
  const following: (() => Promise<void> | void)[] = [];
  const undoing: (() => Promise<void>)[] = [];
  let held: Held | null = null;

  const unit: Unit = {
    isDry,
    isHeld: () => held !== null,
    within: (run, body) => {
      if (held !== null) throw new Error("a request has one transaction");
      return new Promise((resolve, reject) => {
        let isGiven = false;
        let decide: (last: Last) => void = () => undefined;
        const decided = new Promise<Last>((decision) => (decide = decision));
        const ended: Promise<unknown> = run(async (session, attempt) => {
          if (isGiven) throw new Again();
          await begin(session);
          const result = await body(session, attempt);
          isGiven = true;
          held = { decide, ended };
          resolve(result);
          await (
            await decided
          )(session);
          return result;
        }).catch(async (error: unknown) => {
          for (const task of undoing) await task();
          throw error;
        });
        // Without effect once the result is given: how it ends then, `end` tells.
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
      const waiting = held;
      held = null;
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
