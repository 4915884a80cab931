// A token bucket kept as one moment, the one at which it is full again (GCRA): taking a token moves that moment one
// interval further, and nothing may move it further away than the whole bucket takes to fill.

/** How many requests are allowed. */
export interface Allowance {
  readonly perMinute: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
}

/** What a bucket says after it was asked for a token. */
export interface Level {
  readonly allowed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** Requests possible now. */
  readonly remaining: number;
  /** Milliseconds until a request is possible; 0 when one is. */
  readonly waitMs: number;
  readonly fullInMs: number;
}

/** Counts requests of one kind of caller. */
export interface Buckets {
  /** Takes a token when there is one. */
  take(key: string): Promise<Level>;
  /** Puts a token back that was taken; a bucket never holds more than it can. */
  giveBack(key: string): Promise<void>;
}

/** Milliseconds in which one token comes back. */
export function intervalMsOf({ perMinute }: Allowance): number {
  return 60_000 / perMinute;
}

/** The levels after each of several tokens that were taken together, given the level after the last one. */
export function levelsUpTo(last: Level, tokens: number, intervalMs: number): readonly Level[] {
  return Array.from({ length: tokens }, (_, index) => {
    const later = tokens - 1 - index;
    return { ...last, remaining: last.remaining + later, fullInMs: Math.max(0, last.fullInMs - later * intervalMs) };
  });
}
