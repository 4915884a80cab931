import type { ImportThread, ThreadLimits } from "./thread.js";

// A thread takes as long to start as to read a scan of some hundred hosts, so that one is started while a file arrives.

/** How long it waits for the file. */
const AHEAD_MS = 3_000;

export interface ThreadsAhead {
  /** A file arrives. */
  expect(): void;
  /** A thread for it. */
  take(): ImportThread;
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

  return {
    expect: () => {
      if (ahead !== null) return;
      ahead = start(limits);
      timer = setTimeout(() => void take()?.end(), AHEAD_MS).unref();
    },
    take: () => take() ?? start(limits),
  };
}
