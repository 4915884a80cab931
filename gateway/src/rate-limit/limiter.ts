import { SHARE_PER_MINUTE } from "@nts/shared/contract";
import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import { type Batch, batchPerTick } from "./batching.js";
import type { Allowance, Buckets, BucketLevel } from "./bucket.js";
import { createFillTimes, createLocalBuckets } from "./local.js";
import { createRedisBuckets } from "./redis.js";
import type { RedisGuard } from "./redis-guard.js";

/** Maximum distinct key limits kept ready. */
const MOST_KEY_LIMITS = 1_000;

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
      return withFallback(options, `nts:key:${perMinute}`, { perMinute, burst }, fillTimesOfKeys);
    },
  });

  return {
    keys: (perMinute) => (perMinute < perUser.perMinute ? ofKeys.memo(perMinute) : null),
    users: withFallback(options, "nts:user", perUser),
    shares: withFallback(options, "nts:share", { perMinute: SHARE_PER_MINUTE, burst: SHARE_PER_MINUTE }),
    addresses: withFallback(options, "nts:address", perAddress),
    lookups: withFallback(options, "nts:lookup", perLookup),
    isLocal: guard.isAway,
  };
}

/** Buckets in Redis, or in this process while Redis is unavailable. */
function withFallback(
  { redis, guard, liveGateways, observe }: LimiterOptions,
  prefix: string,
  allowance: Allowance,
  fullAt = createFillTimes(),
): Buckets {
  const exact = createRedisBuckets(redis, prefix, allowance);
  const local = createLocalBuckets(allowance, liveGateways, () => performance.now(), fullAt);

  function takeLocally({ key, count }: Batch): readonly BucketLevel[] {
    return Array.from({ length: count }, () => local.take(key));
  }

  /** Redis may only be slow, so it receives what is allowed meanwhile. */
  function writeToRedis(key: string, levels: readonly BucketLevel[]): void {
    for (const { allowed } of levels) if (allowed) guard.fireAndForget(() => exact.take(key, 1));
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
        levels = await guard.run(() => exact.take(key, count));
        local.learn(key, Math.max(...levels.map(({ fullInMs }) => fullInMs)));
      }
    } catch {
      // A late call still counts when it arrives.
      source = "local_after_redis";
      levels = takeLocally(batch);
    }
    observe(source, (performance.now() - since) / 1000, count);
    return levels;
  }

  async function giveBack({ key, count }: Batch): Promise<readonly undefined[]> {
    const call = (): Promise<BucketLevel> => exact.giveBack(key, count);
    try {
      if (guard.isAway()) {
        local.giveBack(key, count);
        guard.fireAndForget(call);
      } else local.learn(key, (await guard.run(call)).fullInMs);
    } catch {
      local.giveBack(key, count);
    }
    return Array.from({ length: count }, () => undefined);
  }

  return { take: batchPerTick(take), giveBack: batchPerTick<undefined>(giveBack), hasPlenty: local.hasPlenty };
}
