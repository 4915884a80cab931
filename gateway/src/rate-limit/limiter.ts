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
  readonly log: Log;
}

/** A limiter that fails no request for the sake of Redis. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, perUser, perAddress, liveGateways, gatewayId, log } = options;
  const probes = createRedisBuckets(redis, "nts:probe", { perMinute: 60_000, burst: 1_000 });
  const guard = createRedisGuard(redis, () => probes.take(gatewayId), log);

  function insured(prefix: string, allowance: Allowance): Buckets {
    const exact = createRedisBuckets(redis, prefix, allowance);
    const local = createLocalBuckets(allowance, liveGateways, () => performance.now());
    const ask = async (key: string, tokens: 0 | 1): Promise<Level> => {
      if (guard.isAway()) return local.take(key, tokens);
      try {
        const level = await guard.run(() => (tokens === 0 ? exact.peek(key) : exact.take(key)));
        local.learn(key, level.fullInMs);
        return level;
      } catch {
        return local.take(key, tokens);
      }
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
