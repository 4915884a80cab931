import type { ImportThread } from "./thread.js";

// A thread takes longer to start, and to become fast, than to read a scan of some hundred hosts. So one is started while
// a file arrives, and that of a small import is kept for a while: a preview is mostly followed by its import.

/** How long one waits for its file. */
const AHEAD_MS = 3_000;
const KEPT_MS = 300_000;

export interface ImportThreads {
  /** A file arrives. */
  expect(): void;
  /** A thread for an import. */
  take(): ImportThread;
  /** Its import is over. @param isReusable whether it may be kept for another one */
  leave(thread: ImportThread, isReusable: boolean): Promise<void>;
}

export function createImportThreads(start: () => ImportThread): ImportThreads {
  let spare: ImportThread | null = null;
  let timer: NodeJS.Timeout | undefined;

  function spareFor(ms: number, thread: ImportThread): void {
    spare = thread;
    timer = setTimeout(() => void taken()?.end(), ms).unref();
  }

  function taken(): ImportThread | null {
    const thread = spare;
    spare = null;
    clearTimeout(timer);
    return thread;
  }

  return {
    expect: () => {
      if (spare === null) spareFor(AHEAD_MS, start());
    },
    take: () => {
      const thread = taken();
      return thread === null || thread.hasEnded() ? start() : thread;
    },
    leave: async (thread, isReusable) => {
      if (isReusable && spare === null) spareFor(KEPT_MS, thread);
      else await thread.end();
    },
  };
}
