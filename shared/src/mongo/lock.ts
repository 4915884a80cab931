import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Collection, Db } from "mongodb";
import { isDuplicateKey } from "./faults.js";

interface LockDocument {
  _id: string;
  owner: string;
  /** In the database's time. */
  expires_at: Date;
}

const LIFE_MS = 15_000;
const RETRY_MS = 200;

/**
 * Runs a task exclusively among processes, waiting for its turn. The lock of a dead process expires after 15 s. Only
 * for rare, idempotent work: a process suspended for longer may continue alongside another.
 */
export async function withLock<T>(db: Db, name: string, task: () => Promise<T>): Promise<T> {
  for (;;) {
    const ran = await withFreeLock(db, name, task);
    if (ran !== null) return ran.result;
    await delay(RETRY_MS);
  }
}

/**
 * Like {@link withLock}, but returns null if another process has the lock.
 *
 * @param task receives a signal that aborts when another process may have taken the lock
 */
export async function withFreeLock<T>(
  db: Db,
  name: string,
  task: (lost: AbortSignal) => Promise<T>,
  lifeMs = LIFE_MS,
): Promise<{ readonly result: T } | null> {
  const locks = db.collection<LockDocument>("locks");
  const owner = randomUUID();
  const lost = new AbortController();
  if (!(await take(locks, name, { owner, lifeMs }))) return null;
  const renew = async (): Promise<void> => {
    // While the database is unavailable, no other process can take the lock either.
    if (!(await take(locks, name, { owner, lifeMs }).catch(() => true))) lost.abort();
  };
  const renewing = setInterval(() => void renew(), lifeMs / 3);
  try {
    return { result: await task(lost.signal) };
  } finally {
    clearInterval(renewing);
    await locks.deleteOne({ _id: name, owner });
  }
}

/** Takes or renews the lock. @returns false if another process holds it */
async function take(
  locks: Collection<LockDocument>,
  name: string,
  { owner, lifeMs }: { owner: string; lifeMs: number },
): Promise<boolean> {
  // A missing lock counts as expired: a missing field is less than any date.
  const isMine = { $or: [{ $eq: ["$owner", owner] }, { $lt: ["$expires_at", "$$NOW"] }] };
  const renewed = {
    owner: { $cond: [isMine, owner, "$owner"] },
    expires_at: { $cond: [isMine, { $add: ["$$NOW", lifeMs] }, "$expires_at"] },
  };
  try {
    const options = { upsert: true, returnDocument: "after" } as const;
    return (await locks.findOneAndUpdate({ _id: name }, [{ $set: renewed }], options))?.owner === owner;
  } catch (error) {
    // Another process created the lock at the same moment.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
