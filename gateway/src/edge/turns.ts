/** How fast turns come. */
export interface Pacing {
  /** Milliseconds between turns. */
  readonly turnMs: number;
  /** How many get their turn at a time. */
  readonly most: number;
  /** Begins the next turn after so many milliseconds. */
  readonly schedule?: (turn: () => void, ms: number) => unknown;
}

/** A queue whose members get their turns no faster than its pacing, however many are added. */
export interface Turns<T> {
  add(one: T): void;
  remove(one: T): void;
}

/** @param take is given each in its turn; false says that it took none of the time, and another one may follow */
export function createTurns<T>({ turnMs, most, schedule = setTimeout }: Pacing, take: (one: T) => boolean): Turns<T> {
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
