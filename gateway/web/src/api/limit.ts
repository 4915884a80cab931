import { useSyncExternalStore } from "react";

/** The caller's rate limit, from the latest response. */
export interface LimitState {
  readonly limit: number;
  /** Requests available now. */
  readonly remaining: number;
  /** Seconds from `seenAt` until all requests are available again. */
  readonly resetSeconds: number;
  readonly seenAt: number;
}

let state: LimitState | null = null;
const watchers = new Set<() => void>();

/** Reads the `X-RateLimit-…` headers of a response, if present. */
export function noteLimit({ headers }: Response): void {
  const [limit, remaining, resetSeconds] = ["limit", "remaining", "reset"].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`);
    return value === null ? NaN : Number(value);
  });
  if (limit === undefined || remaining === undefined || resetSeconds === undefined || Number.isNaN(limit)) return;
  state = { limit, remaining, resetSeconds, seenAt: Date.now() };
  for (const watcher of watchers) watcher();
}

/** The current state; null before the first response. */
export function limitState(): LimitState | null {
  return state;
}

/** The current state, rerendering when it changes; null before the first response. */
export function useLimit(): LimitState | null {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, limitState);
}

/** The bucket refills evenly up to `limit`. Its end is given in seconds, rounded up, so the estimate is not too high. */
export function levelAt(state: LimitState, nowMs: number): { remaining: number; capacity: number } {
  const perSecond = state.limit / 60;
  const capacity = Math.max(state.remaining, Math.floor(state.remaining + (state.resetSeconds - 1) * perSecond));
  const refilled = ((nowMs - state.seenAt) / 1_000) * perSecond;
  return { remaining: Math.min(capacity, Math.floor(state.remaining + Math.max(0, refilled))), capacity };
}
