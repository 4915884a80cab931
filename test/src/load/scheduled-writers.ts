import { startAskedProcess } from "../support/asked-process.js";

export interface WritersOptions {
  readonly url: string;
  /** An API key for each writer; the same key may be given several times. */
  readonly keys: readonly string[];
  /** Milliseconds between the scheduled writes of a writer. */
  readonly everyMs: number;
}

/** The measurements since the last report. */
export interface WriterFigures {
  readonly responses: number;
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Clients that rename a service each at a fixed rate. They are a process of their own, which collects no garbage of
 * others: that of a script that has filled a database would be measured as latency.
 */
export interface ScheduledWriters {
  report(): Promise<WriterFigures>;
  /** Ends them. @returns acknowledged writes that cannot be read, as sentences */
  stop(): Promise<readonly string[]>;
}

/** Resolves when all of them write. */
export async function startScheduledWriters(options: WritersOptions): Promise<ScheduledWriters> {
  const program = new URL("scheduled-writers-process.js", import.meta.url);
  const { child, ask } = await startAskedProcess<{ report: WriterFigures; stop: readonly string[] }>(program, options);
  let stopped: Promise<readonly string[]> | null = null;
  return {
    report: () => ask("report"),
    stop: () => (stopped ??= ask("stop").finally(() => child.disconnect())),
  };
}
