import { setImmediate as afterOthers } from "node:timers/promises";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";

// Archives are validated on the event loop. Validation yields to other requests after every slice, and slices of
// organizations take turns.

/** Milliseconds per slice: the latency that validation may add to each step of a request. */
export const SLICE_MS = 4;

export interface Slices {
  /**
   * Calls a function on the organization's turn, with a predicate that tells whether the slice is over.
   *
   * @throws what the function throws
   */
  run<T>(organizationId: string, slice: (isOver: () => boolean) => T): Promise<T>;
}

/**
 * @param idle waits, up to a limit, until no requests are active
 * @param now milliseconds of a clock that never goes back
 */
export function createSlices(idle: () => Promise<void>, now = () => performance.now()): Slices {
  const queue = createFairQueue({ atATime: 1 });
  return {
    run: async (organizationId, slice) => {
      const leave = await queue.enter(organizationId);
      try {
        const end = now() + SLICE_MS;
        return slice(() => now() >= end);
      } finally {
        void afterOthers().then(idle).finally(leave);
      }
    },
  };
}
