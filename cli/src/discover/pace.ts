import { setTimeout as delay } from "node:timers/promises";

/** Waits until the next packet may be sent. */
export type Pace = () => Promise<void>;

/** Milliseconds by which packets may be sent early together, because timers are not exact. */
const SLACK_MS = 20;

/** Spreads packets evenly, so that a network never gets more of them per second. */
export function createPace(packetsPerSecond: number, signal: AbortSignal): Pace {
  const apartMs = 1_000 / packetsPerSecond;
  let nextMs = performance.now();
  return async () => {
    signal.throwIfAborted();
    const now = performance.now();
    nextMs = Math.max(nextMs, now) + apartMs;
    if (nextMs > now + SLACK_MS) await delay(nextMs - now, null, { signal });
  };
}

/** Runs a task for every item, at most so many at a time, in their order. */
export async function forEach<Item>(
  items: readonly Item[],
  atATime: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, work));
}
