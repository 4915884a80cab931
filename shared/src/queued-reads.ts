import type { Shares } from "./shares.js";

/**
 * A read within an organization's share. Callers share one that still waits for its turn, so results are never older
 * than their requests, and a client that polls faster than it is served does not queue behind itself.
 *
 * @param key equal for reads with the same result, which callers must not modify
 * @throws AppError `rate_limited`
 */
export type QueuedRead = <T>(organizationId: string, key: string, task: () => Promise<T>) => Promise<T>;

export function createQueuedRead(use: Shares["use"]): QueuedRead {
  const waiting = new Map<string, Promise<unknown>>();
  return <T>(organizationId: string, key: string, task: () => Promise<T>) => {
    const name = `${organizationId} ${key}`;
    const shared = waiting.get(name) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    let hasBegun = false as boolean;
    const reading = use(organizationId, () => {
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
