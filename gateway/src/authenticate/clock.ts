/** A moment on both clocks of the machine, in milliseconds. */
export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

/** Provides the time; tests use their own. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = {
  now: () => ({ monotonic: performance.now(), wall: Date.now() }),
};

/**
 * Milliseconds between two moments by whichever clock says more: the monotonic one stops while the machine is
 * suspended, and the wall clock may be set back.
 */
export function elapsedMs(since: Instant, now: Instant): number {
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall);
}
