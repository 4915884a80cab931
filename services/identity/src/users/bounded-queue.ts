import { AppError } from "@nts/shared/errors";

/**
 * Makes a function that runs `atATime` tasks together. Later ones wait in the order they came.
 *
 * @throws AppError (the returned function) `unavailable` when `mostWaiting` wait already
 */
export function createBoundedQueue(atATime: number, mostWaiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < atATime) running++;
    else if (waiting.length < mostWaiting) await new Promise<void>((resume) => waiting.push(resume));
    else throw new AppError("unavailable");
    try {
      return await task();
    } finally {
      // The place goes to the next in line; only an empty line gives it back.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
