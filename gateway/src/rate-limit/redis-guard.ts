import type { Log } from "@nts/shared/log";
import { inTime } from "./in-time.js";

// A circuit breaker for Redis: a failed or slow call opens it for all requests; a probe that does what requests do
// closes it.

const PROBE_EVERY_MS = 100;
const MOST_UNAWAITED = 2_000;

export interface RedisGuard {
  isAway(): boolean;
  /** Makes a call; rejects at once while Redis is unavailable, and if the call fails or takes too long. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Makes a call in the background, so that a merely slow Redis keeps its counts. */
  fireAndForget(call: () => Promise<unknown>): void;
  stop(): void;
}

export interface RedisGuardOptions {
  /** Does what a request would do; rejects if Redis cannot. */
  readonly probe: () => Promise<unknown>;
  /** Milliseconds that a request waits. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Creates a guard that assumes Redis to be available. */
export function createRedisGuard({ probe, timeoutMs, log }: RedisGuardOptions): RedisGuard {
  let away = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let unawaited = 0;

  function turnOff(error: unknown): void {
    if (away || stopped) return;
    away = true;
    log.warn({ err: error }, "redis is unavailable; limits are enforced locally");
    lookLater();
  }

  function lookLater(): void {
    timer = setTimeout(() => void look(), PROBE_EVERY_MS);
  }

  async function look(): Promise<void> {
    const works = await inTime(probe(), timeoutMs).then(
      () => true,
      () => false,
    );
    if (stopped) return;
    if (works) {
      away = false;
      log.info("redis is available again; limits are exact");
    } else lookLater();
  }

  return {
    isAway: () => away,
    run: async (call) => {
      if (away) throw new Error("redis is unavailable");
      try {
        return await inTime(call(), timeoutMs);
      } catch (error) {
        turnOff(error);
        throw error;
      }
    },
    fireAndForget: (call) => {
      if (unawaited >= MOST_UNAWAITED) return;
      unawaited += 1;
      const done = (): void => {
        unawaited -= 1;
      };
      call().then(done, done);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
