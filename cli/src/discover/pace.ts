import { setTimeout as delay } from "node:timers/promises";

export interface Pace {
  /** Waits until the next packet may be sent, or so many of them. @throws the reason of its signal */
  (packets?: number): Promise<void>;
  /** So many have been sent without waiting, and delay what follows. */
  sent(packets: number): void;
}

/** The time of a sense is over; what it has found until then counts. */
export class Late extends Error {
  override readonly name = "Late";
}

/** Milliseconds by which packets may be sent early together, because timers are not exact. */
const SLACK_MS = 20;

/**
 * Spreads packets evenly, so that a network never gets more of them per second.
 *
 * @returns a pace for each part of the work; all of them share the rate
 */
export function createRate(packetsPerSecond: number): (signal: AbortSignal) => Pace {
  const apartMs = 1_000 / packetsPerSecond;
  let nextMs = performance.now();
  let turn: Promise<unknown> = Promise.resolve();
  const spend = (packets: number): void => {
    nextMs = Math.max(nextMs, performance.now()) + packets * apartMs;
  };
  return (signal) => {
    const wait = async (packets: number): Promise<void> => {
      signal.throwIfAborted();
      spend(packets);
      const leftMs = nextMs - performance.now();
      if (leftMs > SLACK_MS) await pause(leftMs, signal);
    };
    // One after the other, so that packets which were sent meanwhile delay those that wait.
    const pace = (packets = 1): Promise<void> => {
      const itsTurn = turn.then(() => wait(packets));
      turn = itsTurn.catch(() => undefined);
      return itsTurn;
    };
    return Object.assign(pace, { sent: spend });
  };
}

/** @throws the reason of the signal when it aborts */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, null, { signal }).catch(() => null);
  signal.throwIfAborted();
}

/** Runs a task for every item, at most so many at a time, in their order, and no more when it is {@link Late}. */
export async function forEach<Item>(
  items: readonly Item[],
  atATime: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    try {
      for (const item of rest) await task(item);
    } catch (error) {
      if (!(error instanceof Late)) throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, work));
}
