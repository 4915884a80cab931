import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { computed } from "../second-factor/factor.js";

// A hash costs 19 MiB and some 50 ms of a core on purpose, so only a few are computed at a time and few may wait: a
// flood of logins is refused instead of taking the memory and the processors of everybody else. Half of the processors are left to
// those who are signed in.

const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const AT_A_TIME = Math.min(4, Math.ceil(availableParallelism() / 2));
const MOST_WAITING = 64;

/** Hashes passwords with argon2id. Both methods throw AppError `unavailable` when too many wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** @param stored null for a user that does not exist: false then, after the same time */
  matches(stored: string | null, password: string): Promise<boolean>;
}

/** @param cost of each hash, in KiB of memory, rounds over it and lanes */
export async function createPasswords(cost = COST): Promise<Passwords> {
  const run = createBoundedQueue({ atATime: AT_A_TIME, mostWaiting: MOST_WAITING });
  const nobody = await hash(randomBytes(32), cost);
  return {
    hash: (password) => run(() => hash(password, cost)),
    matches: (stored, password) =>
      run(async () => {
        const isRight = await verify(computed(stored ?? nobody), password);
        return isRight && stored !== null;
      }),
  };
}
