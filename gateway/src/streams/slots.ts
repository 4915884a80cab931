import { AppError } from "@nts/shared/errors";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { DEADLINES } from "@nts/shared/timing";
import type { Redis } from "ioredis";
import type { Exchange } from "../edge/exchange.js";
import type { RedisGuard } from "../rate-limit/redis-guard.js";

// Limits a user's streams over all gateways. Each is a member of a sorted set in Redis that its gateway keeps alive, so
// that those of a dead gateway expire. While Redis is unavailable, each gateway counts its own, and reports them later.

/** Milliseconds until an unrefreshed entry expires, and between refreshes. */
export const SLOT_MS = 6_000;
const KEEP_MS = 2_000;

/**
 * All processes together work as long for the opening of a stream as for ten reads, so they are opened at most 100 a
 * second, the organizations in turn: clients that all reconnect would delay everybody's reads.
 */
const OPENED = { atATime: 1, duty: 0.1, longestRestMs: 10, longestWaitMs: 2 * DEADLINES.gatewayMs } as const;

/** ARGV: milliseconds, maximum, stream. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`;

/** ARGV: milliseconds, streams. */
const KEEP = `
local time = redis.call('TIME')
local untilTime = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], untilTime, ARGV[n]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`;

/** Stream slots of users, over all gateways. */
export interface StreamSlots {
  /** Takes a slot until the exchange ends, when it is its turn. @throws AppError `too_many_streams` · `unavailable` */
  take(exchange: Exchange): Promise<void>;
}

export interface StreamSlotsOptions {
  readonly redis: Redis;
  readonly guard: Pick<RedisGuard, "run" | "fireAndForget">;
  /** Of one user. */
  readonly most: number;
  readonly onRefused: () => void;
}

/** Creates slots that never reject a stream because Redis is unavailable: each gateway has its own limit, too. */
export function createStreamSlots({ redis, guard, most, onRefused }: StreamSlotsOptions): StreamSlots {
  const users = new Map<string, OpenHere>();
  const openings = createFairQueue(OPENED);

  async function isFree(key: string, id: string): Promise<boolean> {
    try {
      return (await guard.run(() => redis.eval(TAKE, 1, key, SLOT_MS, most, id))) === 1;
    } catch {
      return true;
    }
  }

  function occupy(key: string, id: string): () => void {
    const open = users.get(key) ?? openHere(key);
    users.set(key, open);
    open.ids.add(id);
    return () => {
      if (!open.ids.delete(id)) return;
      guard.fireAndForget(() => redis.zrem(key, id));
      if (open.ids.size > 0) return;
      clearInterval(open.timer);
      users.delete(key);
    };
  }

  /** A timer per user spreads the refreshes. */
  function openHere(key: string): OpenHere {
    const ids = new Set<string>();
    const keep = (): void => {
      guard.fireAndForget(() => redis.eval(KEEP, 1, key, SLOT_MS, ...ids));
    };
    return { ids, timer: setInterval(keep, KEEP_MS).unref() };
  }

  async function takeFor(exchange: Exchange, userId: string): Promise<void> {
    // Clients leave while they wait.
    if (!exchange.isOpen) return;
    const key = `nts:streams:${userId}`;
    const id = exchange.requestId;
    if (await isFree(key, id)) exchange.releaseAtEnd({ release: occupy(key, id) });
    else {
      onRefused();
      throw new AppError("too_many_streams", { of: "user", retry_after_seconds: 5 });
    }
  }

  return {
    take: async (exchange) => {
      const { principal } = exchange;
      if (principal !== null)
        await openings.run(() => takeFor(exchange, principal.userId), principal.scope.organizationId);
    },
  };
}

/** A user's open streams at this gateway. */
interface OpenHere {
  readonly ids: Set<string>;
  readonly timer: NodeJS.Timeout;
}
