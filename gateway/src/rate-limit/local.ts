import { LRUCache } from "lru-cache";
import { type Allowance, intervalMsOf, type Level } from "./bucket.js";

// Buckets in this process, for as long as Redis is away: this gateway's share of each allowance, which is the allowance
// divided by the gateways that serve. A bucket begins at the last level that Redis reported.

const MOST_BUCKETS = 100_000;

/** Buckets that answer at once. */
export interface LocalBuckets {
  take(key: string): Level;
  giveBack(key: string, tokens: number): void;
  /** Notes the level that Redis reported. */
  learn(key: string, fullInMs: number): void;
}

/**
 * Buckets of one kind of caller.
 *
 * @param sharers number of gateways that the allowance is divided by
 * @param now monotonic milliseconds
 */
export function createLocalBuckets(allowance: Allowance, sharers: () => number, now: () => number): LocalBuckets {
  const fullAt = new LRUCache<string, number>({ max: MOST_BUCKETS });
  return {
    take: (key) => {
      const intervalMs = intervalMsOf(allowance) * sharers();
      // A whole bucket takes the same time to fill, however many share it; but one token always fits.
      const depthMs = Math.max(allowance.burst * intervalMsOf(allowance), intervalMs);
      const present = now();
      const before = Math.max(fullAt.get(key) ?? present, present) - present;
      const after = before + intervalMs;
      const allowed = after <= depthMs + 0.001;
      const filled = allowed ? after : before;
      if (allowed) fullAt.set(key, present + after);
      return {
        allowed,
        limit: allowance.perMinute,
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
  };
}
