import type { Redis } from "ioredis";
import type { Log } from "@nts/shared/log";
import type { Allowance, Buckets, Level } from "./bucket.js";
import { createLocalBuckets } from "./local-buckets.js";
import { createRedisBuckets } from "./redis-buckets.js";
import { createRedisGuard } from "./redis-guard.js";

/** The limits of the API: exact over all gateways while Redis is there, shared out among them while it is away. */
export interface Limiter {
  /** By user id. */
  readonly users: Buckets;
  /** By block of client addresses. */
  readonly addresses: Buckets;
  /** True while Redis is away. */
  isLocal(): boolean;
  stop(): void;
}

export interface LimiterOptions {
  readonly redis: Redis;
  readonly perUser: Allowance;
  readonly perAddress: Allowance;
  /** Gateways that serve now. */
  readonly liveGateways: () => number;
  /** Names the bucket with which this gateway tries whether Redis is back. */
  readonly gatewayId: string;
  /** Milliseconds that a request waits for Redis. */
  readonly patienceMs: number;
  readonly log: Log;
}

/** A limiter that fails no request for the sake of Redis. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, perUser, perAddress, liveGateways, gatewayId, patienceMs, log } = options;
  const probes = createRedisBuckets(redis, "nts:probe", { perMinute: 60_000, burst: 1_000 });
  const guard = createRedisGuard({ redis, probe: () => probes.take(gatewayId), patienceMs, log });

  function insured(prefix: string, allowance: Allowance): Buckets {
    const exact = createRedisBuckets(redis, prefix, allowance);
    const local = createLocalBuckets(allowance, liveGateways, () => performance.now());
    const askRedis = async (key: string, tokens: 0 | 1): Promise<Level> => {
      const level = await (tokens === 0 ? exact.peek(key) : exact.take(key));
      local.learn(key, level.fullInMs);
      return level;
    };
    const ask = async (key: string, tokens: 0 | 1): Promise<Level> => {
      if (!guard.isAway()) {
        try {
          return await guard.run(() => askRedis(key, tokens));
        } catch {
          // A call that was only late is still counted when it arrives.
          return local.take(key, tokens);
        }
      }
      const level = local.take(key, tokens);
      if (level.allowed && tokens > 0) guard.mention(() => askRedis(key, tokens));
      return level;
    };
    return { take: (key) => ask(key, 1), peek: (key) => ask(key, 0) };
  }

  return {
    users: insured("nts:user", perUser),
    addresses: insured("nts:address", perAddress),
    isLocal: guard.isAway,
    stop: guard.stop,
  };
}
