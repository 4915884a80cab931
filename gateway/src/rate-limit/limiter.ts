import type { Redis } from "ioredis";
import type { Log } from "@nts/shared/log";
import { type Allowance, type Buckets, intervalMsOf, type Level, levelsUpTo } from "./bucket.js";
import { createLocalBuckets } from "./local-buckets.js";
import { createRedisBuckets } from "./redis-buckets.js";
import { createRedisGuard } from "./redis-guard.js";
import { gatherByTurn } from "./turns.js";

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

/** Who told a level: Redis, this process at once, or this process after it had waited for Redis in vain. */
export type Teller = "redis" | "local" | "local_after_redis";

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
  /** Called for each level that a request asked for, with the time that it waited. */
  readonly observe: (teller: Teller, seconds: number) => void;
  readonly log: Log;
}

/** A limiter that fails no request for the sake of Redis. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, perUser, perAddress, liveGateways, gatewayId, patienceMs, observe, log } = options;
  const probes = createRedisBuckets(redis, "nts:probe", { perMinute: 60_000, burst: 1_000 });
  const guard = createRedisGuard({ probe: () => probes.take(gatewayId), patienceMs, log });

  function insured(prefix: string, allowance: Allowance): Buckets {
    const exact = createRedisBuckets(redis, prefix, allowance);
    const intervalMs = intervalMsOf(allowance);
    const local = createLocalBuckets(allowance, liveGateways, () => performance.now());
    const take = gatherByTurn(takeTogether);

    async function askRedis(call: () => Promise<Level>, key: string): Promise<Level> {
      const level = await guard.run(call);
      local.learn(key, level.fullInMs);
      return level;
    }

    /** Levels after each of so many tokens; where they are not there together, each is asked for by itself. */
    async function takeTogether(key: string, count: number): Promise<readonly Level[]> {
      const level = await askRedis(() => exact.take(key, count), key);
      if (level.allowed || count === 1) return levelsUpTo(level, count, intervalMs);
      return Promise.all(Array.from({ length: count }, () => askRedis(() => exact.take(key), key)));
    }

    async function ask(key: string, tokens: 0 | 1): Promise<Level> {
      const begun = performance.now();
      const tell = (teller: Teller): void => {
        observe(teller, (performance.now() - begun) / 1000);
      };
      if (!guard.isAway()) {
        try {
          const level = await (tokens === 0 ? askRedis(() => exact.peek(key), key) : take(key));
          tell("redis");
          return level;
        } catch {
          // A call that was only late is still counted when it arrives.
          tell("local_after_redis");
          return local.take(key, tokens);
        }
      }
      const level = local.take(key, tokens);
      if (level.allowed && tokens > 0) guard.mention(() => exact.take(key));
      tell("local");
      return level;
    }

    return { take: (key) => ask(key, 1), peek: (key) => ask(key, 0) };
  }

  return {
    users: insured("nts:user", perUser),
    addresses: insured("nts:address", perAddress),
    isLocal: guard.isAway,
    stop: guard.stop,
  };
}
