import { type Allowance, type BucketLevel, levelLater } from "./bucket.js";

// Of requests that follow each other, each would wait for Redis. So while most of a bucket is left, some tokens are taken
// ahead of them. Redis has counted these, so never more pass than the limit; what is not used is given back in a moment.

/** Tokens taken ahead at a time; of a small bucket, this part of its burst. */
export const MOST_AHEAD = 16;
const PART_OF_BURST = 1 / 16;
/** None are taken while less than this part of the burst is left. */
const AMPLE_PART = 1 / 2;
/** Milliseconds after the last request of a caller in which another follows it. */
export const FOLLOWING_MS = 100;

/** Tokens of one kind of caller. */
export interface TokensAhead {
  /** Uses a token in hand, with the level of its bucket; null if there is none. */
  use(key: string): BucketLevel | null;
  /**
   * Takes tokens, and perhaps some ahead.
   *
   * @param call takes tokens from Redis
   * @returns the levels of those that are needed
   */
  take(key: string, needed: number, call: Take): Promise<readonly BucketLevel[]>;
}

type Take = (key: string, tokens: number) => Promise<readonly BucketLevel[]>;

/** A caller whose next request would follow its last. */
interface Recent {
  inHand: BucketLevel[];
  takenAt: number;
  usedAt: number;
  isAmple: boolean;
  /** Calls of Redis without a result; those that it refuses need what is in hand. */
  calls: number;
  /** One of these takes some ahead. */
  isTaking: boolean;
}

/** @param giveBack returns tokens for which no request has come; never rejects */
export function createTokensAhead(
  allowance: Allowance,
  giveBack: (key: string, tokens: number) => Promise<void>,
): TokensAhead {
  const { burst } = allowance;
  const most = Math.min(MOST_AHEAD, Math.floor(burst * PART_OF_BURST));
  const recents = new Map<string, Recent>();
  let timer: NodeJS.Timeout | null = null;

  function recentOf(key: string): Recent {
    const known = recents.get(key);
    if (known !== undefined) return known;
    const recent = { inHand: [], takenAt: 0, usedAt: 0, isAmple: false, calls: 0, isTaking: false };
    recents.set(key, recent);
    timer ??= setTimeout(sweep, FOLLOWING_MS).unref();
    return recent;
  }

  function sweep(): void {
    const before = performance.now() - FOLLOWING_MS;
    for (const [key, { usedAt, calls, inHand }] of recents) {
      if (usedAt > before || calls > 0) continue;
      recents.delete(key);
      if (inHand.length > 0) void giveBack(key, inHand.length);
    }
    timer = recents.size === 0 ? null : setTimeout(sweep, FOLLOWING_MS).unref();
  }

  function use(key: string): BucketLevel | null {
    const recent = recents.get(key);
    const level = recent?.inHand.shift();
    if (recent === undefined || level === undefined) return null;
    recent.usedAt = performance.now();
    return levelLater(level, recent.usedAt - recent.takenAt, allowance);
  }

  return {
    use,
    take: async (key, needed, call) => {
      const recent = recentOf(key);
      const isAhead = recent.isAmple && !recent.isTaking && recent.inHand.length === 0;
      recent.isTaking ||= isAhead;
      recent.calls += 1;
      try {
        const levels = await call(key, isAhead ? needed + most : needed);
        recent.isAmple = (levels.at(-1)?.remaining ?? 0) >= burst * AMPLE_PART;
        if (isAhead) {
          recent.inHand = levels.slice(needed).filter(({ allowed }) => allowed);
          recent.takenAt = performance.now();
        }
        // Some may have been taken ahead while this call was waiting.
        return levels.slice(0, needed).map((level) => (level.allowed ? level : (use(key) ?? level)));
      } finally {
        if (isAhead) recent.isTaking = false;
        recent.calls -= 1;
        recent.usedAt = performance.now();
      }
    },
  };
}
