import { setTimeout as delay } from "node:timers/promises";

export interface Repetition {
  /** Milliseconds from the end of one time to the next. */
  readonly everyMs: number | (() => number);
  /** True to wait before the first time, too. */
  readonly waitsFirst?: boolean;
  /** Aborts when it is enough. */
  readonly signal: AbortSignal;
  /** Told of what a time failed with, unless it was to end anyway; the next one comes nevertheless. */
  readonly onFault: (error: unknown) => void;
}

/** Does something again and again, until the signal. It keeps no process alive, and never rejects. */
export async function repeat(
  task: () => Promise<unknown>,
  { everyMs, waitsFirst = false, signal, onFault }: Repetition,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  const pause = async (): Promise<void> => {
    const ms = typeof everyMs === "number" ? everyMs : everyMs();
    await delay(ms, null, { signal, ref: false }).catch(() => null);
  };
  if (waitsFirst) await pause();
  while (!isOver()) {
    try {
      await task();
    } catch (error) {
      if (!isOver()) onFault(error);
    }
    await pause();
  }
}

/** Milliseconds to rest after work that began at `performance.now()`, for it to take no more than a share of the time. */
export function restMs(begunAt: number, duty: number): number {
  return ((performance.now() - begunAt) * (1 - duty)) / duty;
}
