import type { ClientSession, Db } from "mongodb";
import type { KeyChange } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { sharingNext } from "./sharing-next.js";

// The numbered record of every change of rights. A change gets its number in the transaction that makes it, by a write
// to one counter that all such transactions share; so numbers have no gaps, and a change is visible exactly when all
// changes with lower numbers are.

const COUNTER = "key_changes";

/** Milliseconds in which a primary must say that it is one; a lease is worth no more. */
const CONFIRM_MS = 1_000;

/** More changes than this are not sent one by one: a gateway that lags so far behind starts over. */
const MOST_CHANGES = 1_000;

interface CounterDocument {
  _id: string;
  number: number;
}

interface ChangeDocument {
  _id: number;
  subjects: readonly string[];
  at: Date;
}

export interface KeyChangeLog {
  /** Makes the counter when it is missing; safe while other replicas do the same. */
  prepare(): Promise<void>;
  /** Takes the next number. First in its transaction, because it serialises all changes. */
  takeNumber(tx: ClientSession): Promise<number>;
  append(tx: ClientSession, change: KeyChange): Promise<void>;
  /** The number of the newest change that was committed before the call, or of a later one. */
  highest(): Promise<number>;
  /**
   * The same, of a database that was the primary after the call: one that was deposed and does not know it yet cannot tell.
   * Callers share readings that began after they asked. @throws the database's fault when there is no such primary in time
   */
  confirmed(): Promise<number>;
  /** Changes with greater numbers, ascending; not all of them when there are very many. */
  after(number: number): Promise<KeyChange[]>;
}

export function createKeyChangeLog(db: Db): KeyChangeLog {
  const counters = db.collection<CounterDocument>("counters");
  const changes = db.collection<ChangeDocument>("key_changes");
  return {
    prepare: async () => {
      await counters.updateOne({ _id: COUNTER }, { $setOnInsert: { number: 0 } }, { upsert: true });
    },
    takeNumber: async (tx) => {
      const counter = await counters.findOneAndUpdate(
        { _id: COUNTER },
        { $inc: { number: 1 } },
        { session: tx, returnDocument: "after" },
      );
      return requireCounter(counter).number;
    },
    append: async (tx, { number, subjects }) => {
      await changes.insertOne({ _id: number, subjects, at: new Date() }, { session: tx });
    },
    highest: async () => requireCounter(await counters.findOne({ _id: COUNTER })).number,
    confirmed: sharingNext(async () => {
      const signal = AbortSignal.timeout(CONFIRM_MS);
      const options = { readConcern: { level: "linearizable" }, maxTimeMS: CONFIRM_MS, signal } as const;
      try {
        return requireCounter(await counters.findOne({ _id: COUNTER }, options)).number;
      } catch (error) {
        throw signal.aborted ? new AppError("unavailable", {}, error) : error;
      }
    }),
    after: async (number) => {
      const found = await changes
        .find({ _id: { $gt: number } })
        .sort({ _id: 1 })
        .limit(MOST_CHANGES)
        .toArray();
      return found.map(({ _id, subjects }) => ({ number: _id, subjects: [...subjects] }));
    },
  };
}

function requireCounter(counter: CounterDocument | null): CounterDocument {
  if (counter === null) throw new Error("the counter of key changes is missing");
  return counter;
}
