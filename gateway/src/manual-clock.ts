import type { Clock } from "./clock.js";

/** A clock for tests, which stands still until it is told otherwise. */
export interface ManualClock extends Clock {
  /** Moves both clocks. */
  pass(ms: number): void;
  /** Moves the wall clock alone, also back. */
  passOnWall(ms: number): void;
}

/** A clock at an arbitrary moment. */
export function createManualClock(): ManualClock {
  let monotonic = 1_000;
  let wall = 1_700_000_000_000;
  return {
    now: () => ({ monotonic, wall }),
    pass: (ms) => {
      monotonic += ms;
      wall += ms;
    },
    passOnWall: (ms) => {
      wall += ms;
    },
  };
}
