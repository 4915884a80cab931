import type { ImportThread } from "./thread.js";

// A thread takes longer to start, and to become fast, than to read a scan of some hundred hosts. So one stands by: a new
// one, or that of a small import, whose code is fast.

/** How long after its own start a process starts the first. */
const FIRST_AFTER_MS = 10_000;

export interface ImportThreads {
  /** A file arrives. */
  expect(): void;
  /** A thread for an import; that of a large file gives way to requests. */
  take(isLarge: boolean): ImportThread;
  /** Its import is over. @param wentWell whether it may stand by for another one, unless it has given way */
  leave(thread: ImportThread, wentWell: boolean): Promise<void>;
}

export function createImportThreads(start: () => ImportThread): ImportThreads {
  let spare: ImportThread | null = null;

  const standBy = (): void => {
    spare ??= start();
  };
  setTimeout(standBy, FIRST_AFTER_MS).unref();

  return {
    expect: standBy,
    take: (isLarge) => {
      const thread = spare === null || spare.hasEnded() ? start() : spare;
      spare = null;
      if (isLarge) thread.giveWay();
      return thread;
    },
    leave: async (thread, wentWell) => {
      if (wentWell && !thread.hasGivenWay() && spare === null) {
        spare = thread;
        return;
      }
      await thread.end();
      standBy();
    },
  };
}
