const PARENT_POLL_MS = 500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Why the system stops: `reason` completes "Stopping: …"; `exitCode` is that of the process. */
export interface StopRequest {
  readonly reason: string;
  readonly exitCode: number;
}

/** Its end stops us: npm, if npm started us. */
export interface Parent {
  readonly pid: number;
  readonly isNpm: boolean;
}

/**
 * Resolves with the first stop request: a signal, the end of npm, or an internal error. Further signals are ignored:
 * stopping takes a bounded time.
 */
export async function stopRequested(parent: Parent): Promise<StopRequest> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        resolve({ reason: signal === "SIGINT" ? "Ctrl-C" : signal, exitCode: 0 });
      });
    }
    process.on("uncaughtException", (error) => {
      console.error(error);
      resolve({ reason: "an error in npm start itself", exitCode: 1 });
    });
    if (!parent.isNpm) return;
    const timer = setInterval(() => {
      // an orphan gets another parent, which reveals that the first one has ended
      if (process.ppid !== parent.pid) resolve({ reason: "npm has ended", exitCode: 0 });
    }, PARENT_POLL_MS);
    timer.unref();
  });
}
