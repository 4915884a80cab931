import { once } from "node:events";
import { startAskedProcess } from "../asked-process.js";
import type { Credentials } from "./victim-work.js";

export interface VictimOptions {
  readonly url: string;
  readonly key: string;
  /** The client address of its requests. */
  readonly address: string;
  /** For its other work. */
  readonly account: Credentials;
  /** The processes whose memory is recorded. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

/** How requests, or jobs of one kind, went in a period. */
export interface Timings {
  readonly responses: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Path or job, and status of responses other than 200, or the connection error. */
  readonly failures: readonly string[];
}

/** The measurements of a victim in a period: of its small reads, and of its other work by kind. */
export interface Measurements extends Timings {
  readonly work: Readonly<Record<string, Timings>>;
  /** The maximum growth of each process's resident memory since the beginning. */
  readonly grownBytes: Readonly<Record<string, number>>;
  /** How long each process was runnable without a processor. */
  readonly starvedMs: Readonly<Record<string, number>>;
  /** The average number of processors used outside of this test run. */
  readonly othersShare: number;
}

/** A client that reads `/networks` and `/auth/whoami` every 20 ms with a cached key, and works with an account. */
export interface Victim {
  /** The measurements since the last report, including every request of that time. */
  report(): Promise<Measurements>;
  stop(): Promise<void>;
}

/** Resolves when it has begun to read. */
export async function startVictim(options: VictimOptions): Promise<Victim> {
  const program = new URL("victim-process.js", import.meta.url);
  const { child, ask } = await startAskedProcess<{ report: Measurements }>(program, options);
  return {
    report: () => ask("report"),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
