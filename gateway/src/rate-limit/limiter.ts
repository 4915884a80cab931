import { SHARE_PER_MINUTE } from "@nts/shared/contract";
import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import { createTokensAhead } from "./ahead.js";
import { type Batch, batchPerTick } from "./batching.js";
import type { Allowance, Buckets, BucketLevel } from "./bucket.js";
import { createFillTimes, createLocalBuckets, type FillTimes } from "./local.js";
import { createRedisBuckets } from "./redis.js";
import type { RedisGuard } from "./redis-guard.js";

/** Maximum distinct key limits kept ready. */
const MOST_KEY_LIMITS = 1_000;

const PER_SHARE: Allowance = { perMinute: SHARE_PER_MINUTE, burst: SHARE_PER_MINUTE };

/** The rate limits of the API: exact across gateways while Redis is available, divided among them otherwise. */
export interface Limiter {
  /** By user id. */
  readonly users: Buckets;
  /** By id of an API key with its own limit; null if that is not below the user's. */
  keys(perMinute: number): Buckets | null;
  /** By id of a share. */
  readonly shares: Buckets;
  /** By client address block. */
  readonly addresses: Buckets;
  /** By client address block: credential lookups of addresses without tokens. */
  readonly lookups: Buckets;
  /** True while Redis is unavailable. */
  isLocal(): boolean;
}

/** The source of a level: Redis, this process, or this process after waiting for Redis without a result. */
export type Source = "redis" | "local" | "local_after_redis";

export interface LimiterOptions {
  readonly redis: Redis;
  readonly perUser: Allowance;
  readonly perAddress: Allowance;
  readonly perLookup: Allowance;
  /** Number of serving gateways. */
  readonly liveGateways: () => number;
  readonly guard: RedisGuard;
  /** Called with the waiting time of a number of requests. */
  readonly observe: (source: Source, seconds: number, requests: number) => void;
}

/** Creates a limiter that never fails requests because of Redis. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { guard, perUser, perAddress, perLookup } = options;
  const fillTimesOfKeys = createFillTimes();
  // A key's burst is its user's in proportion.
  const ofKeys = new LRUCache<number, Buckets>({
    max: MOST_KEY_LIMITS,
    memoMethod: (perMinute) => {
      const burst = Math.max(1, Math.ceil((perMinute * perUser.burst) / perUser.perMinute));
      const allowance = { perMinute, burst };
      return withFallback(options, {
        prefix: `nts:key:${perMinute}`,
        allowance,
        fullAt: fillTimesOfKeys,
        isAhead: true,
      });
    },
  });

  return {
    keys: (perMinute) => (perMinute < perUser.perMinute ? ofKeys.memo(perMinute) : null),
    users: withFallback(options, { prefix: "nts:user", allowance: perUser, isAhead: true }),
    shares: withFallback(options, { prefix: "nts:share", allowance: PER_SHARE }),
    addresses: withFallback(options, { prefix: "nts:address", allowance: perAddress }),
    lookups: withFallback(options, { prefix: "nts:lookup", allowance: perLookup }),
    isLocal: guard.isAway,
  };
}

/** The buckets of one kind of caller. */
interface Kind {
  readonly prefix: string;
  readonly allowance: Allowance;
  readonly fullAt?: FillTimes;
  /** Tokens are taken ahead of requests that follow each other. */
  readonly isAhead?: true;
}

/** Buckets in Redis, or in this process while Redis is unavailable. */
function withFallback(
  { redis, guard, liveGateways, observe }: LimiterOptions,
  { prefix, allowance, fullAt = createFillTimes(), isAhead }: Kind,
): Buckets {
  const exact = createRedisBuckets(redis, prefix, allowance);
  const local = createLocalBuckets(allowance, liveGateways, () => performance.now(), fullAt);
  const ahead = isAhead ? createTokensAhead(allowance, giveBack) : null;

  function takeLocally({ key, count }: Batch): readonly BucketLevel[] {
    return Array.from({ length: count }, () => local.take(key));
  }

  /** Redis may only be slow, so it receives what is allowed meanwhile. */
  function writeToRedis(key: string, levels: readonly BucketLevel[]): void {
    for (const { allowed } of levels) if (allowed) guard.fireAndForget(() => exact.take(key, 1));
  }

  async function takeFromRedis(key: string, tokens: number): Promise<readonly BucketLevel[]> {
    const levels = await guard.run(() => exact.take(key, tokens));
    local.learn(key, Math.max(...levels.map(({ fullInMs }) => fullInMs)));
    return levels;
  }

  async function take(batch: Batch): Promise<readonly BucketLevel[]> {
    const { key, count, since } = batch;
    let source: Source = "redis";
    let levels: readonly BucketLevel[];
    try {
      if (guard.isAway()) {
        source = "local";
        levels = takeLocally(batch);
        writeToRedis(key, levels);
      } else {
        levels = await (ahead === null ? takeFromRedis(key, count) : ahead.take(key, count, takeFromRedis));
      }
    } catch {
      // A late call still counts when it arrives.
      source = "local_after_redis";
      levels = takeLocally(batch);
    }
    observe(source, (performance.now() - since) / 1000, count);
    return levels;
  }

  /** Never rejects. */
  async function giveBack(key: string, tokens: number): Promise<void> {
    const call = (): Promise<BucketLevel> => exact.giveBack(key, tokens);
    try {
      if (guard.isAway()) {
        local.giveBack(key, tokens);
        guard.fireAndForget(call);
      } else local.learn(key, (await guard.run(call)).fullInMs);
    } catch {
      local.giveBack(key, tokens);
    }
  }

  const taken = batchPerTick(take);
  return {
    take: (key) => {
      const inHand = ahead?.use(key) ?? null;
      if (inHand === null) return taken(key);
      observe("redis", 0, 1);
      return Promise.resolve(inHand);
    },
    giveBack: batchPerTick<undefined>(async ({ key, count }) => {
      await giveBack(key, count);
      return Array.from({ length: count }, () => undefined);
    }),
  };
}
