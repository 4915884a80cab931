const PARENT_POLL_MS = 500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Why the system is to stop: `reason` completes "Stopping: …"; `exitCode` is what the process ends with. */
export interface StopRequest {
  readonly reason: string;
  readonly exitCode: number;
}

/** Whose end means that we are to stop: npm, when npm started us. */
export interface Parent {
  readonly pid: number;
  readonly isNpm: boolean;
}

/**
 * Resolves at the first request to stop: a signal, the end of npm, or a defect of our own. Further signals change
 * nothing: stopping takes its time, but not for ever.
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
      // an orphan is given another parent: that is how the end of the first one shows
      if (process.ppid !== parent.pid) resolve({ reason: "npm has ended", exitCode: 0 });
    }, PARENT_POLL_MS);
    timer.unref();
  });
}
