import { setImmediate as afterOthers } from "node:timers/promises";
import { putUnder } from "@nts/shared/groups";

// Archives are validated on the event loop. Validation yields to other requests after every slice, and slices are scheduled
// round-robin between organizations.

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
  /** Pending slices by organization, in round-robin order. */
  const waiting = new Map<string, (() => void)[]>();
  let isRunning = false;

  async function giveTurns(): Promise<void> {
    for (const [organizationId, turns] of waiting) {
      // Moves the organization to the end of the queue.
      waiting.delete(organizationId);
      const begin = turns.shift();
      if (turns.length > 0) waiting.set(organizationId, turns);
      begin?.();
      await afterOthers();
      await idle();
    }
    isRunning = false;
  }

  const turnOf = (organizationId: string): Promise<void> =>
    new Promise((resolve) => {
      putUnder(waiting, organizationId, resolve);
      if (isRunning) return;
      isRunning = true;
      void giveTurns();
    });

  return {
    run: async (organizationId, slice) => {
      await turnOf(organizationId);
      const end = now() + SLICE_MS;
      return slice(() => now() >= end);
    },
  };
}
