import { createFairQueue } from "./fair-queue.js";
import type { Shares } from "./shares.js";

/**
 * A read within the share of a group, such as an organization. Callers share one that still waits for its turn, so
 * results are never older than their requests, and a client that polls faster than it is served does not queue behind itself.
 *
 * @param key equal for reads of the group with the same result, which callers must not modify
 * @throws AppError `rate_limited`
 */
export type QueuedRead = <T>(group: string, key: string, task: () => Promise<T>) => Promise<T>;

export function createQueuedRead(use: Shares["use"]): QueuedRead {
  const waiting = new Map<string, Promise<unknown>>();
  return <T>(group: string, key: string, task: () => Promise<T>) => {
    const name = `${group} ${key}`;
    const shared = waiting.get(name) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    let hasBegun = false as boolean;
    const reading = use(group, () => {
      hasBegun = true;
      waiting.delete(name);
      return task();
    });
    if (hasBegun) return reading;
    waiting.set(name, reading);
    reading.catch(() => {
      // It was rejected before its turn.
      if (waiting.get(name) === reading) waiting.delete(name);
    });
    return reading;
  };
}

/**
 * Expensive reads with many callers: each group reads one at a time, followed by a pause.
 *
 * @param duty fraction of time in which a group may read; 1 for no pauses
 */
export function createSharedReads(duty: number): QueuedRead {
  const queue = createFairQueue({ ofKey: 1, duty });
  // Not at once, so that callers in the same moment share one.
  return createQueuedRead((group, task) => Promise.resolve().then(() => queue.run(task, group)));
}
