import { createHash } from "node:crypto";
import type { Db } from "mongodb";
import { FORGOTTEN_MS, type Failures } from "../model/login-throttle.rules.js";

/** Milliseconds for which an address counts as known after a login. */
const KNOWN_MS = 30 * 86_400_000;

interface FailuresDocument extends Failures {
  _id: string;
  /** Of the email address, as users may type anything there, even a password. */
  account: string;
  /** The account has logged in from this address. */
  is_known: boolean;
  expires_at: Date;
}

/** An account as typed, and the client's address. */
export interface Guesser {
  readonly email: string;
  readonly addressBlock: string;
}

/** Recorded failures. */
export interface FoundFailures {
  readonly fromAddress: Failures | null;
  /** null also for an address from which the account has logged in before. */
  readonly fromEverywhere: Failures | null;
}

export interface LoginFailureStore {
  find(guesser: Guesser): Promise<FoundFailures>;
  /** @returns consecutive failures from this address */
  addFailure(guesser: Guesser, now: Date): Promise<number>;
  /** Marks the address as known, and clears its failures. */
  addSuccess(guesser: Guesser, now: Date): Promise<void>;
  /** Clears all failures of an account. */
  removeAllOf(email: string): Promise<void>;
}

export function createLoginFailureStore(db: Db): LoginFailureStore {
  const collection = db.collection<FailuresDocument>("login_failures");

  async function findBoth(guesser: Guesser): Promise<(FailuresDocument | null)[]> {
    const ids = [idOf(guesser), hashOf(guesser.email)];
    const found = await collection.find({ _id: { $in: ids } }).toArray();
    return ids.map((id) => found.find(({ _id }) => _id === id) ?? null);
  }

  async function count(_id: string, account: string, now: Date): Promise<number> {
    const forgottenBefore = new Date(now.getTime() - FORGOTTEN_MS);
    const expires_at = new Date(now.getTime() + FORGOTTEN_MS);
    const oneMore = { $add: [{ $ifNull: ["$failures", 0] }, 1] };
    const counted = {
      account,
      // A missing failure time compares as older than any date.
      failures: { $cond: [{ $lt: ["$failed_at", forgottenBefore] }, 1, oneMore] },
      failed_at: now,
      is_known: { $ifNull: ["$is_known", false] },
      expires_at: { $max: ["$expires_at", expires_at] },
    };
    const after = { upsert: true, returnDocument: "after" } as const;
    return (await collection.findOneAndUpdate({ _id }, [{ $set: counted }], after))?.failures ?? 1;
  }

  return {
    find: async (guesser) => {
      const [fromAddress = null, fromEverywhere = null] = await findBoth(guesser);
      return { fromAddress, fromEverywhere: fromAddress?.is_known === true ? null : fromEverywhere };
    },
    addFailure: async (guesser, now) => {
      const account = hashOf(guesser.email);
      const fromAddress = await count(idOf(guesser), account, now);
      await count(account, account, now);
      return fromAddress;
    },
    addSuccess: async (guesser, now) => {
      const known = { account: hashOf(guesser.email), is_known: true, failures: 0, failed_at: now };
      const expires_at = new Date(now.getTime() + KNOWN_MS);
      await collection.updateOne({ _id: idOf(guesser) }, { $set: { ...known, expires_at } }, { upsert: true });
    },
    removeAllOf: async (email) => {
      await collection.updateMany({ account: hashOf(email) }, { $set: { failures: 0 } });
    },
  };
}

function idOf({ email, addressBlock }: Guesser): string {
  return hashOf(`${email}\n${addressBlock}`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
