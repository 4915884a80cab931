import type { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { type Allowance, intervalMsOf, type BucketLevel, levelsUpTo } from "./bucket.js";

// Buckets in Redis, exact across gateways: a script on Redis' clock returns {consumed points, milliseconds until the
// bucket is full, or until the next token if rejected}. A negative cost returns tokens.

const SCRIPT = `
local cost = tonumber(ARGV[1])
local burst = tonumber(ARGV[3])
local interval = tonumber(ARGV[4]) * 1000 / burst
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = tonumber(redis.call('GET', KEYS[1]) or now)
if full < now then full = now end
local after = math.max(full + cost * interval, now)
local over = after - now - burst * interval
if over > 0.001 then return {burst + cost, math.ceil(over)} end
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now) + 1000)
return {math.ceil((after - now) / interval - 0.0001), math.ceil(after - now)}
`;

// The library requires a lifetime in whole seconds, which the script ignores; with 0 it would skip the script.
const UNUSED_LIFE = { customDuration: 1 };

/** Buckets from which several tokens can be taken at once. */
export interface RedisBuckets {
  /** The levels after each of the tokens was taken. */
  take(key: string, tokens: number): Promise<readonly BucketLevel[]>;
  /** Returns tokens, up to a full bucket. */
  giveBack(key: string, tokens: number): Promise<BucketLevel>;
}

/** Creates buckets of one kind of caller. A call rejects if Redis fails. */
export function createRedisBuckets(redis: Redis, keyPrefix: string, allowance: Allowance): RedisBuckets {
  const { burst, perMinute: limit } = allowance;
  const intervalMs = intervalMsOf(allowance);
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points: burst,
    duration: (burst * intervalMs) / 1000,
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: SCRIPT,
  });

  /** Takes all of the tokens or none. */
  async function takeTogether(key: string, tokens: number): Promise<BucketLevel> {
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key, tokens, UNUSED_LIFE);
      return { allowed: true, limit, burst, remaining: remainingPoints, waitMs: 0, fullInMs: msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const waitMs = refusal.msBeforeNext;
      return { allowed: false, limit, burst, remaining: 0, waitMs, fullInMs: waitMs + (burst - 1) * intervalMs };
    }
  }

  return {
    take: async (key, tokens) => {
      const level = await takeTogether(key, tokens);
      if (level.allowed || tokens === 1) return levelsUpTo(level, tokens, intervalMs);
      // Not all available: they are requested one by one.
      return Promise.all(Array.from({ length: tokens }, () => takeTogether(key, 1)));
    },
    giveBack: async (key, tokens) => {
      const { remainingPoints, msBeforeNext } = await limiter.reward(key, tokens, UNUSED_LIFE);
      return { allowed: true, limit, burst, remaining: remainingPoints, waitMs: 0, fullInMs: msBeforeNext };
    },
  };
}

/** Creates the probe of Redis. @param gatewayId names its bucket */
export function createRedisProbe(redis: Redis, gatewayId: string): () => Promise<unknown> {
  const probes = createRedisBuckets(redis, "nts:probe", { perMinute: 60_000, burst: 1_000 });
  return () => probes.take(gatewayId, 1);
}
