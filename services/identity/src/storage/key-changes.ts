import type { ClientSession, Db } from "mongodb";
import type { KeyChange } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { sharingNext } from "@nts/shared/scheduling/batcher";
import { followOnlyPrimary } from "./only-primary.js";

// The numbered log of changes of rights. Each is numbered in its transaction by a shared counter, so numbers are
// gapless, and a change is visible exactly when all earlier ones are.

const COUNTER = "key_changes";

/** Milliseconds in which a primary must confirm its role; a lease is not worth more. */
const CONFIRM_MS = 1_000;

/** Beyond this many changes, a lagging gateway starts over. */
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
  /** Creates the counter if missing; safe with concurrent replicas. */
  prepare(): Promise<void>;
  /** Allocates the next number. First in its transaction, as it serializes all changes. */
  takeNumber(tx: ClientSession): Promise<number>;
  append(tx: ClientSession, change: KeyChange): Promise<void>;
  /** Number of the newest change committed before the call, or of a later one. */
  highest(): Promise<number>;
  /**
   * Like `highest`, confirmed by the actual primary: a deposed one cannot respond. Concurrent callers share reads that
   * started after their call. The only possible primary need not confirm its role, which takes a write.
   * @throws the database's error if no primary responds in time
   */
  confirmed(): Promise<number>;
  /** Changes with greater numbers, ascending; limited if there are very many. */
  after(number: number): Promise<KeyChange[]>;
}

export function createKeyChangeLog(db: Db): KeyChangeLog {
  const counters = db.collection<CounterDocument>("counters");
  const changes = db.collection<ChangeDocument>("key_changes");
  const isOnlyPrimary = followOnlyPrimary(db.client);
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
      const level = isOnlyPrimary() ? "majority" : "linearizable";
      const options = { readConcern: { level }, maxTimeMS: CONFIRM_MS, signal } as const;
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
