import { setImmediate as afterOthers } from "node:timers/promises";
import { putUnder } from "@nts/shared/groups";

// Archives are checked on the thread that answers requests. However many there are, one slice of one of them is worked on before
// others have the thread again, and organizations take turns.

/** Milliseconds of a slice: what a request waits for at each of its steps. */
const SLICE_MS = 4;

export interface Slices {
  /**
   * Calls a function when it is the organization's turn, with what says whether the slice is over.
   *
   * @throws what the function throws
   */
  run<T>(organizationId: string, slice: (isOver: () => boolean) => T): Promise<T>;
}

/** @param idle lets requests go first, for a while */
export function createSlices(idle: () => Promise<void>): Slices {
  /** By organization, in the order of their next turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isRunning = false;

  async function giveTurns(): Promise<void> {
    for (const [organizationId, turns] of waiting) {
      // Behind the others until its next turn.
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
      const end = performance.now() + SLICE_MS;
      return slice(() => performance.now() >= end);
    },
  };
}
