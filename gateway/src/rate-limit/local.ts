import { boundedCache } from "@nts/shared/bounded-cache";
import { type Allowance, intervalMsOf, type BucketLevel } from "./bucket.js";

// Buckets in this process while Redis is unavailable, with this gateway's share of each limit. A bucket starts at the
// last level reported by Redis.

const MOST_BUCKETS = 100_000;

/** When buckets are full again, in milliseconds of a clock. */
export type FillTimes = ReturnType<typeof boundedCache<number>>;

/** The fill times of one kind of caller. */
export function createFillTimes(): FillTimes {
  return boundedCache(MOST_BUCKETS);
}

/** Buckets that respond synchronously. */
export interface LocalBuckets {
  take(key: string): BucketLevel;
  giveBack(key: string, tokens: number): void;
  /** Records the level reported by Redis. */
  learn(key: string, fullInMs: number): void;
  /** Whether half of a full bucket is left of the last known level and what has been refilled since; false if none is known. */
  hasPlenty(key: string): boolean;
}

/**
 * Creates buckets of one kind of caller.
 *
 * @param sharers number of gateways that share the limit
 * @param now monotonic milliseconds
 * @param fullAt shared by limits that differ by caller
 */
export function createLocalBuckets(
  allowance: Allowance,
  sharers: () => number,
  now: () => number,
  fullAt = createFillTimes(),
): LocalBuckets {
  return {
    take: (key) => {
      const intervalMs = intervalMsOf(allowance) * sharers();
      // The fill time is the same for any number of gateways, but at least one token fits.
      const depthMs = Math.max(allowance.burst * intervalMsOf(allowance), intervalMs);
      const present = now();
      // A caller whose limit was changed may have taken more than fits now.
      const before = Math.min(Math.max((fullAt.get(key) ?? present) - present, 0), depthMs);
      const after = before + intervalMs;
      const allowed = after <= depthMs + 0.001;
      const filled = allowed ? after : before;
      if (allowed) fullAt.set(key, present + after);
      return {
        allowed,
        limit: allowance.perMinute,
        burst: allowance.burst,
        remaining: Math.floor((depthMs - filled) / intervalMs + 0.0001),
        waitMs: allowed ? 0 : before + intervalMs - depthMs,
        fullInMs: filled,
      };
    },
    giveBack: (key, tokens) => {
      const full = fullAt.get(key);
      if (full !== undefined) fullAt.set(key, full - tokens * intervalMsOf(allowance) * sharers());
    },
    learn: (key, fullInMs) => {
      fullAt.set(key, now() + fullInMs);
    },
    hasPlenty: (key) => {
      const full = fullAt.get(key);
      return full !== undefined && full - now() < (allowance.burst * intervalMsOf(allowance)) / 2;
    },
  };
}
