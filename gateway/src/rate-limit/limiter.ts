import type { Redis } from "ioredis";
import type { Log } from "@nts/shared/log";
import { type Allowance, type Buckets, intervalMsOf, type Level, levelsUpTo } from "./bucket.js";
import { createLocalBuckets } from "./local-buckets.js";
import { createRedisBuckets } from "./redis-buckets.js";
import { createRedisGuard } from "./redis-guard.js";
import { type Bunch, gatherByTurn } from "./turns.js";

/** The limits of the API: exact over all gateways while Redis is there, shared out among them while it is away. */
export interface Limiter {
  /** By user id. */
  readonly users: Buckets;
  /** By block of client addresses. */
  readonly addresses: Buckets;
  /** By block of client addresses: credentials that are looked up although the address has no token left. */
  readonly lookups: Buckets;
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
  readonly perLookup: Allowance;
  /** Gateways that serve now. */
  readonly liveGateways: () => number;
  /** Names the bucket with which this gateway tries whether Redis is back. */
  readonly gatewayId: string;
  /** Milliseconds that a request waits for Redis. */
  readonly patienceMs: number;
  /** Called with the time that so many requests waited for their levels. */
  readonly observe: (teller: Teller, seconds: number, requests: number) => void;
  readonly log: Log;
}

/** A limiter that fails no request for the sake of Redis. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, perUser, perAddress, perLookup, liveGateways, gatewayId, patienceMs, observe, log } = options;
  const probes = createRedisBuckets(redis, "nts:probe", { perMinute: 60_000, burst: 1_000 });
  const guard = createRedisGuard({ probe: () => probes.take(gatewayId), patienceMs, log });

  function insured(prefix: string, allowance: Allowance): Buckets {
    const exact = createRedisBuckets(redis, prefix, allowance);
    const intervalMs = intervalMsOf(allowance);
    const local = createLocalBuckets(allowance, liveGateways, () => performance.now());

    async function askRedis(call: () => Promise<Level>, key: string): Promise<Level> {
      const level = await guard.run(call);
      local.learn(key, level.fullInMs);
      return level;
    }

    /** Levels after each of so many tokens; where they are not there together, each is asked for by itself. */
    async function takeExactly({ key, count }: Bunch): Promise<readonly Level[]> {
      const level = await askRedis(() => exact.take(key, count), key);
      if (level.allowed || count === 1) return levelsUpTo(level, count, intervalMs);
      return Promise.all(Array.from({ length: count }, () => askRedis(() => exact.take(key), key)));
    }

    async function take(bunch: Bunch): Promise<readonly Level[]> {
      const { key, count, since } = bunch;
      const here = (): Level[] => Array.from({ length: count }, () => local.take(key));
      const tell = (teller: Teller): void => {
        observe(teller, (performance.now() - since) / 1000, count);
      };
      if (guard.isAway()) {
        const levels = here();
        for (const { allowed } of levels) if (allowed) guard.mention(() => exact.take(key));
        tell("local");
        return levels;
      }
      try {
        const levels = await takeExactly(bunch);
        tell("redis");
        return levels;
      } catch {
        // A call that was only late is still counted when it arrives.
        tell("local_after_redis");
        return here();
      }
    }

    async function giveBack({ key, count }: Bunch): Promise<readonly undefined[]> {
      const back = (): Promise<Level> => exact.giveBack(key, count);
      try {
        if (guard.isAway()) {
          local.giveBack(key, count);
          guard.mention(back);
        } else await askRedis(back, key);
      } catch {
        local.giveBack(key, count);
      }
      return Array.from({ length: count }, () => undefined);
    }

    return { take: gatherByTurn(take), giveBack: gatherByTurn<undefined>(giveBack) };
  }

  return {
    users: insured("nts:user", perUser),
    addresses: insured("nts:address", perAddress),
    lookups: insured("nts:lookup", perLookup),
    isLocal: guard.isAway,
    stop: guard.stop,
  };
}
