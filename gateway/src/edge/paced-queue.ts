/** The pace of a queue. */
export interface Pacing {
  /** Milliseconds between turns. */
  readonly turnMs: number;
  /** Members per turn. */
  readonly most: number;
  /** Schedules the next turn. */
  readonly schedule?: (turn: () => void, ms: number) => unknown;
}

/** A queue that releases its members no faster than its pace. */
export interface PacedQueue<T> {
  add(one: T): void;
  remove(one: T): void;
}

/** @param take handles a member; false if it took no time, so that another may follow */
export function createPacedQueue<T>(
  { turnMs, most, schedule = setTimeout }: Pacing,
  take: (one: T) => boolean,
): PacedQueue<T> {
  const waiting = new Set<T>();
  let isScheduled = false;

  function expectTurn(): void {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    schedule(turn, turnMs);
  }

  function turn(): void {
    isScheduled = false;
    let taken = 0;
    for (const one of waiting) {
      waiting.delete(one);
      if (take(one)) taken++;
      if (taken === most) break;
    }
    expectTurn();
  }

  return {
    add: (one) => {
      waiting.add(one);
      expectTurn();
    },
    remove: (one) => waiting.delete(one),
  };
}
