import { AppError } from "./errors.js";

export interface BoundedQueueOptions {
  /** Tasks that run together. */
  readonly atATime: number;
  readonly mostWaiting: number;
  /** Milliseconds after which a task that has not begun is given up; never unless given. */
  readonly longestWaitMs?: number;
}

/**
 * Makes a function that runs a few tasks together. Later ones wait in the order they came.
 *
 * @throws AppError (the returned function) `unavailable` when too many wait already, or when it has waited too long
 */
export function createBoundedQueue(options: BoundedQueueOptions): <T>(task: () => Promise<T>) => Promise<T> {
  const { atATime, mostWaiting, longestWaitMs } = options;
  const waiting = new Set<() => void>();
  let running = 0;

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(begin);
        reject(new AppError("unavailable"));
      };
      const timer = longestWaitMs === undefined ? undefined : setTimeout(giveUp, longestWaitMs);
      waiting.add(begin);
    });
  }

  return async (task) => {
    if (running < atATime) running++;
    else if (waiting.size < mostWaiting) await turn();
    else throw new AppError("unavailable");
    try {
      return await task();
    } finally {
      // The place goes to the next in line; only an empty line gives it back.
      const [next] = waiting;
      if (next === undefined) running--;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}
