import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import closeWithGrace from "close-with-grace";
import { ConfigError } from "./config.js";
import type { Readiness } from "./http/operations.js";
import type { Log } from "./log.js";
import { StartRefused } from "./start-refused.js";

/** Milliseconds from the signal to the end of the process, whatever hangs. */
export const STOP_LIMIT_MS = 14_000;

export interface Stopping {
  readonly readiness: Readiness;
  /** Tells clients that this process is stopping. */
  readonly leave: () => void;
  /** Milliseconds from then on until the first step, for everybody to notice. */
  readonly delayMs: number;
  readonly steps: readonly (() => Promise<unknown>)[];
}

/**
 * Ends the process with status 0 on SIGTERM or SIGINT: it stops being ready, then the steps run in order. A fault that
 * nobody caught ends it the same way with status 1. A step that fails does not keep the later ones from running.
 */
export function stopOnSignal(log: Log, { readiness, leave, delayMs, steps }: Stopping): void {
  closeWithGrace({ delay: STOP_LIMIT_MS + delayMs, logger: false }, async ({ signal, err }) => {
    readiness.stopping = true;
    leave();
    if (err === undefined) log.info({ signal }, "stopping");
    else log.fatal({ err }, "stopping after an uncaught error");
    await delay(delayMs);
    for (const step of steps)
      await step().catch((error: unknown) => log.error({ err: error }, "a shutdown step failed"));
    log.info("stopped");
  });
}

/** Waits for something to end, but no longer than some milliseconds; the process may end while it still waits. */
export async function waitAtMost(ms: number, ending: Promise<unknown>): Promise<void> {
  await Promise.race([ending, delay(ms, undefined, { ref: false })]);
}

const RETRY_MS = 500;

/**
 * Does what a process needs before it can serve, again and again until it succeeds. @param what for the log
 *
 * @throws StartRefused at once, which no further attempt would change
 */
export async function keepTrying(log: Log, what: string, task: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await task();
      return;
    } catch (error) {
      if (error instanceof StartRefused) throw error;
      log.warn({ err: error }, `${what} failed; trying again`);
      await delay(RETRY_MS);
    }
  }
}

/** By how much garbage may make the heap larger than what it holds, before it is collected; V8 itself lets it become up to four times that. */
const GARBAGE_PERCENT = 100;

/** Runs the start of a process; a fault ends it with status 1 and, for a wrong setting, its sentence alone. */
export function startProcess(start: () => Promise<void>): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  start().catch((error: unknown) => {
    const isPlain = error instanceof ConfigError || error instanceof StartRefused;
    process.stderr.write(`${isPlain ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  });
}
