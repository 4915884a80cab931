import { AppError } from "./errors.js";

export interface BoundedQueueOptions {
  /** Maximum tasks that run concurrently. */
  readonly atATime: number;
  readonly mostWaiting: number;
  /** Milliseconds after which a waiting task is rejected; by default never. */
  readonly longestWaitMs?: number;
}

/**
 * Runs a task when it is its turn.
 *
 * @param caller callers take turns, and each has at most as many tasks waiting as there is room left for others; absent
 * if all count as one
 * @throws AppError `unavailable` if too many tasks wait, or one has waited too long
 */
export type BoundedQueue = <T>(task: () => Promise<T>, caller?: string) => Promise<T>;

/** Creates a queue with limited concurrency. Tasks of a caller start in the order of their arrival. */
export function createBoundedQueue(options: BoundedQueueOptions): BoundedQueue {
  const { atATime, mostWaiting, longestWaitMs } = options;
  const waiting = createWaiting();
  let running = 0;

  function hasRoom(caller: string | undefined): boolean {
    const left = mostWaiting - waiting.count();
    return left > (caller === undefined ? 0 : waiting.count(caller));
  }

  function turn(caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.remove(caller, begin);
        reject(new AppError("unavailable"));
      };
      const timer = longestWaitMs === undefined ? undefined : setTimeout(giveUp, longestWaitMs);
      waiting.add(caller, begin);
    });
  }

  return async (task, caller) => {
    if (running < atATime) running++;
    else if (hasRoom(caller)) await turn(caller ?? "");
    else throw new AppError("unavailable");
    try {
      return await task();
    } finally {
      // The slot passes to the next waiting task, and is freed only if there is none.
      const next = waiting.take();
      if (next === null) running--;
      else next();
    }
  };
}

type Begin = () => void;

/** Waiting tasks, of callers in turn. */
function createWaiting() {
  const callers = new Map<string, Set<Begin>>();
  let count = 0;

  function remove(caller: string, begin: Begin): void {
    const own = callers.get(caller);
    if (own?.delete(begin) !== true) return;
    count--;
    if (own.size === 0) callers.delete(caller);
  }

  return {
    count: (caller?: string): number => (caller === undefined ? count : (callers.get(caller)?.size ?? 0)),
    add: (caller: string, begin: Begin): void => {
      callers.set(caller, (callers.get(caller) ?? new Set()).add(begin));
      count++;
    },
    remove,
    take: (): Begin | null => {
      const [next] = callers;
      if (next === undefined) return null;
      const [caller, own] = next;
      const [begin = null] = own;
      if (begin !== null) remove(caller, begin);
      // Behind all others.
      if (callers.delete(caller)) callers.set(caller, own);
      return begin;
    },
  };
}
