import { AppError } from "./errors.js";

export interface BoundedQueueOptions {
  /** Maximum tasks that run concurrently. */
  readonly atATime: number;
  readonly mostWaiting: number;
  /** Milliseconds after which a waiting task is rejected; by default never. */
  readonly longestWaitMs?: number;
}

/**
 * Creates a function that runs tasks with limited concurrency, in order of arrival.
 *
 * @throws AppError (the returned function) `unavailable` if too many tasks wait, or one has waited too long
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
      // The slot passes to the next waiting task, and is freed only if there is none.
      const [next] = waiting;
      if (next === undefined) running--;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}
