import type { Redis } from "ioredis";
import type { Log } from "@nts/shared/log";

// Decides whether Redis is there. A call that fails, or takes longer than a request may wait, turns it off at once for all
// requests, so that only the first ones notice; from then on a probe does what a request would do, and turns it on again
// when that works in time. Load is no absence: time in which this process was too busy to read the answer does not count,
// and while Redis answers other calls a call waits four times as long.

const ROUNDS_WHILE_ANSWERING = 4;
const PROBE_EVERY_MS = 100;
const RECONNECT_AFTER_MS = 1_000;
const MOST_MENTIONED = 2_000;

export interface RedisGuard {
  isAway(): boolean;
  /** Makes a call; rejects at once while Redis is away, and otherwise when it fails or takes too long. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Makes a call that nobody waits for, if there is a connection: a Redis that is merely slow so keeps count. */
  mention(call: () => Promise<unknown>): void;
  stop(): void;
}

export interface RedisGuardOptions {
  readonly redis: Redis;
  /** Does what a request would do; rejects when Redis cannot. */
  readonly probe: () => Promise<unknown>;
  /** Milliseconds that a request waits. */
  readonly patienceMs: number;
  readonly log: Log;
}

/** A guard that takes Redis to be there until a call shows otherwise. */
export function createRedisGuard({ redis, probe, patienceMs, log }: RedisGuardOptions): RedisGuard {
  let away = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let lastAnswerAt = -Infinity;
  let mentioned = 0;

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
      () => performance.now() - started < patienceMs,
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
        const result = await inTime(call(), patienceMs, () => lastAnswerAt);
        lastAnswerAt = performance.now();
        return result;
      } catch (error) {
        turnOff(error);
        throw error;
      }
    },
    mention: (call) => {
      if (redis.status !== "ready" || mentioned >= MOST_MENTIONED) return;
      mentioned += 1;
      const done = (): void => {
        mentioned -= 1;
      };
      call().then(done, done);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Rejects when the promise has not settled after the patience of a request. */
function inTime<Result>(promise: Promise<Result>, ms: number, lastAnswerAt: () => number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const patience = startPatience(ms, lastAnswerAt, () => {
      reject(new Error(`redis took longer than ${ms} ms`));
    });
    promise.then(resolve, reject).finally(patience.end);
  });
}

// A timer that comes late shows that the process was busy: the answer may have been waiting to be read since then.
const LATE_MS = 5;
const MOST_LATE_ROUNDS = 20;

function startPatience(ms: number, lastAnswerAt: () => number, onOver: () => void): { end: () => void } {
  let rounds = 0;
  let lateRounds = 0;
  let timer: NodeJS.Timeout;

  function wait(): void {
    const begun = performance.now();
    timer = setTimeout(() => {
      const late = performance.now() - begun - ms > LATE_MS && ++lateRounds < MOST_LATE_ROUNDS;
      const answering = lastAnswerAt() > begun && ++rounds < ROUNDS_WHILE_ANSWERING;
      if (late || answering) wait();
      else onOver();
    }, ms);
  }

  wait();
  return {
    end: () => {
      clearTimeout(timer);
    },
  };
}
