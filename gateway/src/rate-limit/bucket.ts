// A token bucket stored as the time at which it is full again (GCRA): taking a token advances it by one interval, up to
// the time that the whole bucket takes to fill.

/** A rate limit. */
export interface Allowance {
  readonly perMinute: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
}

/** The result of taking a token. */
export interface BucketLevel {
  readonly allowed: boolean;
  /** Requests per minute. */
  readonly limit: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
  /** Requests possible now. */
  readonly remaining: number;
  /** Milliseconds until a request is possible; 0 if one is. */
  readonly waitMs: number;
  readonly fullInMs: number;
}

/** Whose bucket it is. */
export type BucketName = "user" | "key" | "address" | "share";

/** The level of each bucket that a request took a token of. */
export type BucketLevels = Readonly<Partial<Record<BucketName, BucketLevel>>>;

/** Limits requests of one kind of caller. */
export interface Buckets {
  /** Takes a token if there is one. */
  take(key: string): Promise<BucketLevel>;
  /** Returns a token, up to a full bucket. */
  giveBack(key: string): Promise<void>;
  /** Whether half of a full bucket is left, by the last level that this process knows. */
  hasPlenty(key: string): boolean;
}

/** Milliseconds to regain one token. */
export function intervalMsOf({ perMinute }: Allowance): number {
  return 60_000 / perMinute;
}

/** The levels after each of several tokens taken together, from the level after the last. */
export function levelsUpTo(last: BucketLevel, tokens: number, intervalMs: number): readonly BucketLevel[] {
  return Array.from({ length: tokens }, (_, index) => {
    const later = tokens - 1 - index;
    return { ...last, remaining: last.remaining + later, fullInMs: Math.max(0, last.fullInMs - later * intervalMs) };
  });
}
