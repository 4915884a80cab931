import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface VictimOptions {
  readonly url: string;
  readonly key: string;
  /** The client address that it reads from. */
  readonly address: string;
  /** The processes whose memory is watched. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

/** What a victim saw in a period. */
export interface Seen {
  readonly answers: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Path and status of what was not answered with 200, or what the connection said. */
  readonly failures: readonly string[];
  /** By how much the resident memory of each process exceeded that at the beginning, at most. */
  readonly grownBytes: Readonly<Record<string, number>>;
  /** How long each process could have run and had no processor. */
  readonly starvedMs: Readonly<Record<string, number>>;
  /** How many processors others than this run of tests had on average. */
  readonly othersShare: number;
}

/** A client that reads `/networks` and `/auth/whoami` every 20 ms with a key that the gateway remembers. */
export interface Victim {
  /** What it saw since the last report; every request of that time has ended by then. */
  report(): Promise<Seen>;
  stop(): Promise<void>;
}

/** Resolves when it has begun to read. */
export async function startVictim(options: VictimOptions): Promise<Victim> {
  const program = fileURLToPath(new URL("victim-process.js", import.meta.url));
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  await once(child, "message");
  return {
    report: async () => {
      child.send("report");
      const [seen] = (await once(child, "message")) as [Seen];
      return seen;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
