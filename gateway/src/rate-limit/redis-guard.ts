import type { Redis } from "ioredis";
import type { Log } from "@nts/shared/log";

// Decides whether Redis is there. A call that fails, or takes longer than a request may wait, turns it off at once for all
// requests, so that only the first ones notice; from then on a probe does what a request would do, and turns it on again
// when that works in time. Time in which this process itself was too busy to read the answer does not count.

const PATIENCE_MS = 25;
const PROBE_EVERY_MS = 100;
const RECONNECT_AFTER_MS = 1_000;

export interface RedisGuard {
  isAway(): boolean;
  /** Makes a call; rejects at once while Redis is away, and otherwise when it fails or takes too long. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

/** A guard that takes Redis to be there until a call shows otherwise. @param probe rejects when Redis cannot serve */
export function createRedisGuard(redis: Redis, probe: () => Promise<unknown>, log: Log): RedisGuard {
  let away = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function turnOff(error: unknown): void {
    if (away || stopped) return;
    away = true;
    log.warn({ err: error }, "redis is away; limits are enforced locally");
    void look();
  }

  async function look(): Promise<void> {
    const reconnect = setTimeout(() => {
      redis.disconnect(true);
    }, RECONNECT_AFTER_MS);
    const started = performance.now();
    const works = await probe().then(
      () => performance.now() - started < PATIENCE_MS,
      () => false,
    );
    clearTimeout(reconnect);
    if (stopped) return;
    if (works) {
      away = false;
      log.info("redis is back; limits are exact again");
    } else timer = setTimeout(() => void look(), PROBE_EVERY_MS);
  }

  return {
    isAway: () => away,
    run: async (call) => {
      if (away) throw new Error("redis is away");
      try {
        return await inTime(call());
      } catch (error) {
        turnOff(error);
        throw error;
      }
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Rejects when the promise has not settled after the patience of a request. */
function inTime<Result>(promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const expiry = startPatience(() => {
      reject(new Error(`redis took longer than ${PATIENCE_MS} ms`));
    });
    promise.then(resolve, reject).finally(expiry.cancel);
  });
}

// A timer that comes late shows that the process was busy: the answer may have been waiting to be read since then.
const LATE_MS = 5;
const MOST_ROUNDS = 20;

function startPatience(onExpired: () => void): { cancel: () => void } {
  let rounds = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const due = performance.now() + PATIENCE_MS;
    timer = setTimeout(() => {
      rounds++;
      if (performance.now() - due > LATE_MS && rounds < MOST_ROUNDS) wait();
      else onExpired();
    }, PATIENCE_MS);
  };
  wait();
  return {
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
