import { useSyncExternalStore } from "react";

/** What the latest answer said about the caller's rate limit. */
export interface LimitState {
  /** Requests per minute. */
  readonly limit: number;
  /** Requests that are possible now. */
  readonly remaining: number;
  /** Seconds from `seenAt` until all of them are possible again. */
  readonly resetSeconds: number;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

let state: LimitState | null = null;
const watchers = new Set<() => void>();

/** Takes the headers `X-RateLimit-…` of an answer over; answers without them say nothing. */
export function noteLimit({ headers }: Response): void {
  const [limit, remaining, resetSeconds] = ["limit", "remaining", "reset"].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`);
    return value === null ? NaN : Number(value);
  });
  if (limit === undefined || remaining === undefined || resetSeconds === undefined || Number.isNaN(limit)) return;
  state = { limit, remaining, resetSeconds, seenAt: Date.now() };
  for (const watcher of watchers) watcher();
}

/** The present state; null before the first answer. */
export function limitState(): LimitState | null {
  return state;
}

/** The present state, and a new rendering whenever it changes; null before the first answer. */
export function useLimit(): LimitState | null {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, limitState);
}

/**
 * The bucket refills evenly at `limit` a minute, until it is full. When that is, is told in whole seconds, rounded up: so much
 * less is promised, and the next answer knows better.
 */
export function levelAt(state: LimitState, nowMs: number): { remaining: number; capacity: number } {
  const perSecond = state.limit / 60;
  const capacity = Math.max(state.remaining, Math.floor(state.remaining + (state.resetSeconds - 1) * perSecond));
  const refilled = ((nowMs - state.seenAt) / 1_000) * perSecond;
  return { remaining: Math.min(capacity, Math.floor(state.remaining + Math.max(0, refilled))), capacity };
}
