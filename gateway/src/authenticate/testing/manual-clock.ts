import type { Clock } from "../clock.js";

/** A clock for tests that only advances on demand. */
export interface ManualClock extends Clock {
  /** Advances both clocks. */
  pass(ms: number): void;
  /** Sets the wall clock alone, also back. */
  passOnWall(ms: number): void;
}

/** Creates a clock at an arbitrary time. */
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
