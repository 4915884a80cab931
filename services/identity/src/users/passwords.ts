import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { computed } from "../second-factor/factor.js";

// A hash costs 19 MiB and about 50 ms of a core on purpose, so concurrency and queue are bounded: a flood of logins is
// rejected. Half of the processors are left for signed-in users.

const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const AT_A_TIME = Math.min(4, Math.ceil(availableParallelism() / 2));
const MOST_WAITING = 64;

/** Hashes passwords with argon2id. Both methods throw AppError `unavailable` if too many are queued. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** @param stored null for an unknown user: returns false after the same time */
  matches(stored: string | null, password: string): Promise<boolean>;
}

/** @param cost per hash: memory in KiB, iterations and lanes */
export async function createPasswords(cost = COST): Promise<Passwords> {
  const run = createBoundedQueue({ atATime: AT_A_TIME, mostWaiting: MOST_WAITING });
  const placeholderHash = await hash(randomBytes(32), cost);
  return {
    hash: (password) => run(() => hash(password, cost)),
    matches: (stored, password) =>
      run(async () => {
        const isRight = await verify(computed(stored ?? placeholderHash), password);
        return isRight && stored !== null;
      }),
  };
}
