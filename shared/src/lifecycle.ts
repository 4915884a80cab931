import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import closeWithGrace from "close-with-grace";
import { ConfigError } from "./config.js";
import type { Log } from "./log.js";
import { StartRefused } from "./start-refused.js";
import { STOPPING } from "./timing.js";

/** Whether the process accepts requests; false once it is stopping. */
export interface Readiness {
  stopping: boolean;
}

export interface Stopping {
  readonly readiness: Readiness;
  /** Announces to clients that this process is stopping. */
  readonly leave: () => void;
  /** Milliseconds between the announcement and the first step. */
  readonly delayMs: number;
  readonly steps: readonly (() => Promise<unknown>)[];
}

/**
 * Shuts the process down on SIGTERM or SIGINT with status 0: it stops being ready, then the steps run in order, also
 * after failures. Uncaught errors do the same with status 1.
 */
export function stopOnSignal(log: Log, { readiness, leave, delayMs, steps }: Stopping): void {
  closeWithGrace({ delay: STOPPING.limitMs + delayMs, logger: false }, async ({ signal, err }) => {
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

/** Waits for something for a maximum time, without keeping the process alive. */
export async function waitAtMost(ms: number, ending: Promise<unknown>): Promise<void> {
  await Promise.race([ending, delay(ms, undefined, { ref: false })]);
}

const RETRY_MS = 500;

/**
 * Retries what a process needs at startup until it succeeds. @param what for the log
 *
 * @throws StartRefused at once, for failures that no retry would fix
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

/** Limits garbage relative to the live heap before a collection; V8's own limit is up to four times the heap. */
const GARBAGE_PERCENT = 100;

/** Runs the start of a process; a failure ends it with status 1 and, for a wrong setting, prints its message alone. */
export function startProcess(start: () => Promise<void>): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  start().catch((error: unknown) => {
    const isPlain = error instanceof ConfigError || error instanceof StartRefused;
    process.stderr.write(`${isPlain ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  });
}
