import { createFairQueue } from "./fair-queue.js";

export interface PacerOptions {
  /** Maximum generators that work concurrently, and that wait. */
  readonly atATime: number;
  readonly mostWaiting: number;
  /** Waits after each piece, so that the processor is left to requests. @param startedAt of the piece, `performance.now()` */
  readonly rest: (startedAt: number) => Promise<unknown>;
}

/** Passes on the pieces of a generator, which are made in turn with those of other callers, and of others of a caller. */
export type Pacer = <T>(pieces: AsyncGenerator<T, void, void>, caller: string) => AsyncGenerator<T, void, void>;

/**
 * Creates a pacer for long responses. A client that does not read holds no turn.
 *
 * @throws AppError (when a piece is requested) `unavailable` if too many wait
 */
export function createPacer({ atATime, mostWaiting, rest }: PacerOptions): Pacer {
  const inTurn = createFairQueue({ atATime, mostWaiting }).run;
  return async function* (pieces, caller) {
    const next = async () => {
      const startedAt = performance.now();
      const made = await pieces.next();
      await rest(startedAt);
      return made;
    };
    try {
      for (let made = await inTurn(next, caller); made.done !== true; made = await inTurn(next, caller))
        yield made.value;
    } finally {
      await pieces.return();
    }
  };
}
