import { setImmediate as afterOthers } from "node:timers/promises";
import { createBoundedQueue } from "./bounded-queue.js";

/** Milliseconds of a wait that count as work: a read costs the processor something, too. */
const WORK_MS = 25;

export interface PacerOptions {
  /** Maximum generators that work concurrently, and that wait. */
  readonly atATime: number;
  readonly mostWaiting: number;
  /**
   * Waits after each piece, so that the processor is left to requests.
   *
   * @param startedAt of the piece, `performance.now()`, later by long waits
   */
  readonly rest: (startedAt: number) => Promise<unknown>;
}

/** The turn of a generator while it makes a piece. */
export interface Turn {
  /** Waits, and leaves the turn to others unless the result is there already. */
  outside<T>(waiting: Promise<T>): Promise<T>;
  /** The same for each part of what a piece is made from. */
  read<T>(parts: AsyncIterable<T>): AsyncGenerator<T, void, void>;
}

/**
 * Passes on the pieces of a generator, which are made in turn with those of other callers, and of others of a caller. The
 * generator waits for the database outside of its turn: a caller whose reads are slow delays nobody else.
 */
export type Pacer = <T>(
  make: (turn: Turn) => AsyncGenerator<T, void, void>,
  caller: string,
) => AsyncGenerator<T, void, void>;

/**
 * Creates a pacer for long responses. A client that does not read holds no turn.
 *
 * @throws AppError (when a piece is requested) `unavailable` if too many wait
 */
export function createPacer({ atATime, mostWaiting, rest }: PacerOptions): Pacer {
  const inTurn = createBoundedQueue({ atATime, mostWaiting });
  return async function* (make, caller) {
    const turns = createTurns((task) => inTurn(task, caller));
    const pieces = make(turns.turn);
    const next = async () => {
      await turns.take();
      try {
        turns.startedAt = performance.now();
        const made = await pieces.next();
        await rest(turns.startedAt);
        return made;
      } finally {
        turns.leave();
      }
    };
    try {
      for (let made = await next(); made.done !== true; made = await next()) yield made.value;
    } finally {
      await pieces.return();
    }
  };
}

/** The turns of a generator, one after the other. */
function createTurns(inTurn: (task: () => Promise<void>) => Promise<void>) {
  const turns = {
    /** Of the current piece. */
    startedAt: 0,
    leave: (): void => undefined,
    take: (): Promise<void> =>
      new Promise((resolve, reject) => {
        const task = (): Promise<void> =>
          new Promise((leave) => {
            turns.leave = leave;
            resolve();
          });
        inTurn(task).catch(reject);
      }),
    turn: {
      outside: async <T>(waiting: Promise<T>): Promise<T> => {
        if (await isSettled(waiting)) return waiting;
        const leftAt = performance.now();
        turns.leave();
        await Promise.allSettled([waiting]);
        await turns.take();
        turns.startedAt += Math.max(0, performance.now() - leftAt - WORK_MS);
        return waiting;
      },
      read: async function* <T>(parts: AsyncIterable<T>): AsyncGenerator<T, void, void> {
        const reading = parts[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await turns.turn.outside(reading.next());
            if (next.done === true) return;
            yield next.value;
          }
        } finally {
          await reading.return?.();
        }
      },
    } satisfies Turn,
  };
  return turns;
}

/** False if a promise is still pending after what can run at once. */
function isSettled(waiting: Promise<unknown>): Promise<boolean> {
  const settled = (): boolean => true;
  return Promise.race([waiting.then(settled, settled), afterOthers(false)]);
}
