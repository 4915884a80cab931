import { setTimeout as delay } from "node:timers/promises";

export interface Repetition {
  /** Milliseconds between the end of a run and the next start. */
  readonly everyMs: number | (() => number);
  /** Also wait before the first run. */
  readonly waitsFirst?: boolean;
  /** Aborts to stop. */
  readonly signal: AbortSignal;
  /** Called with the error of a failed run, unless stopping; the next run follows anyway. */
  readonly onFault: (error: unknown) => void;
}

/** Repeats a task until aborted. It does not keep the process alive, and never rejects. */
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

/** Repeats a task until stopped, like {@link repeat}. @param task gets a signal that aborts when it is stopped */
export function repeatUntilStopped(
  task: (signal: AbortSignal) => Promise<unknown>,
  options: Omit<Repetition, "signal">,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = repeat(() => task(signal), { ...options, signal });
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** How often something is looked for: seldom, unless it was found lately. */
export interface Pace {
  /** It was found, or is going on. */
  busy(): void;
  everyMs(): number;
}

/** @param oftenMs at first, and while it was found in the last `forMs` @param seldomMs otherwise, which spares an idle system most of it */
export function createPace({ oftenMs, seldomMs, forMs }: { oftenMs: number; seldomMs: number; forMs: number }): Pace {
  let until = performance.now() + forMs;
  return {
    busy: () => {
      until = performance.now() + forMs;
    },
    everyMs: () => (performance.now() < until ? oftenMs : seldomMs),
  };
}

/** Milliseconds to pause after work that started at `performance.now()`, to use no more than a share of the time. */
export function restMs(startedAt: number, duty: number): number {
  return ((performance.now() - startedAt) * (1 - duty)) / duty;
}
