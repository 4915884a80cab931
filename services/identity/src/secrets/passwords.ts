import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { callerOf, inTime, requireTime, type Work } from "@nts/shared/work";
import { type BackgroundThread, createBackgroundThread } from "./background-thread.js";
import type { HashingQuestion } from "./hashing-worker.js";

// A hash costs 19 MiB and about 50 ms of a core on purpose, so concurrency and queue are bounded: a flood of logins is
// rejected. Threads of lower priority leave the processors to signed-in users.

const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const AT_A_TIME = Math.min(4, Math.ceil(availableParallelism() / 2));
const MOST_WAITING = 64;
/** Of the time of a request: writing follows. */
const RESERVE_MS = 2_000;
const THREAD = {
  module: new URL("./hashing-worker.js", import.meta.url),
  memoryMb: 32,
  longestMs: 8_000,
};

/** Hashes passwords with argon2id; callers take turns. Both methods throw AppError `unavailable` if too many are queued. */
export interface Passwords {
  hash(password: string, work: Work): Promise<string>;
  /** @param stored null for an unknown user: returns false after the same time */
  matches(stored: string | null, password: string, work: Work): Promise<boolean>;
  close(): Promise<void>;
}

/** @param cost per hash: memory in KiB, iterations and lanes */
export function createPasswords(cost = COST): Passwords {
  const run = createFairQueue({ atATime: AT_A_TIME, mostWaiting: MOST_WAITING }).run;
  const threads = Array.from({ length: AT_A_TIME }, () =>
    createBackgroundThread<HashingQuestion, string | boolean>(THREAD),
  );
  const free = [...threads];

  function ask(question: HashingQuestion, work: Work): Promise<string | boolean> {
    const answer = async (): Promise<string | boolean> => {
      requireTime(work, RESERVE_MS);
      const thread = free.pop() as BackgroundThread<HashingQuestion, string | boolean>;
      try {
        return await thread.ask(question);
      } finally {
        free.push(thread);
      }
    };
    return inTime(work, RESERVE_MS, run(answer, callerOf(work)));
  }

  const placeholderHash = unmatchedHash(cost);
  return {
    hash: async (password, work) => String(await ask({ password, cost }, work)),
    matches: async (stored, password, work) => {
      const isRight = await ask({ password, stored: stored ?? placeholderHash }, work);
      return isRight === true && stored !== null;
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** A hash of unknown origin: to compare a password with it takes as long as with any other. */
function unmatchedHash({ memoryCost, timeCost, parallelism }: typeof COST): string {
  const [salt, hash] = [16, 32].map((size) => randomBytes(size).toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${hash}`;
}
