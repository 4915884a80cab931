import type { ImportThread, ThreadLimits } from "./thread.js";

// A thread takes as long to start as to read a scan of some hundred hosts, and reads the first one with code that is not compiled yet.
// So one is started while a file arrives, and one that has read a file waits for the next: people import what they have previewed.

/** How long it waits for the file. */
const AHEAD_MS = 3_000;
/** How long it waits for the next one. */
const KEPT_MS = 60_000;

export interface ThreadsAhead {
  /** A file arrives. */
  expect(): void;
  /** A thread for it. */
  take(): ImportThread;
  /** Its import is done: it is kept for the next one, or ended. */
  giveBack(thread: ImportThread): Promise<void>;
}

export function createThreadsAhead(start: (limits: ThreadLimits) => ImportThread, limits: ThreadLimits): ThreadsAhead {
  let ahead: ImportThread | null = null;
  let timer: NodeJS.Timeout | undefined;

  function take(): ImportThread | null {
    const thread = ahead;
    ahead = null;
    clearTimeout(timer);
    return thread;
  }

  function keep(thread: ImportThread, ms: number): void {
    ahead = thread;
    timer = setTimeout(() => void take()?.end(), ms).unref();
  }

  return {
    expect: () => {
      if (ahead === null) keep(start(limits), AHEAD_MS);
    },
    take: () => take() ?? start(limits),
    giveBack: async (thread) => {
      if (ahead === null && thread.renew()) keep(thread, KEPT_MS);
      else await thread.end();
    },
  };
}
