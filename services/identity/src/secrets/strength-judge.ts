import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { callerOf, inTime, requireTime } from "@nts/shared/work";
import { createBackgroundThread } from "./background-thread.js";
import type { JudgePassword } from "./strength.js";
import type { StrengthQuestion } from "./strength-worker.js";

export const MOST_WAITING = 32;
/** Of the time of a request: hashing and writing follow. */
const RESERVE_MS = 4_000;
const THREAD = {
  module: new URL("./strength-worker.js", import.meta.url),
  memoryMb: 128,
  longestMs: 4_000,
};

/** Rates passwords one at a time, of callers in turn, in a worker thread with bounded memory and time. */
export interface PasswordJudge {
  /** @throws AppError `unavailable` if too many are queued, or it takes too long */
  readonly judge: JudgePassword;
  /** Loads the dictionaries, which takes seconds on a busy machine. */
  load(): Promise<void>;
  close(): Promise<void>;
}

export function createPasswordJudge(): PasswordJudge {
  const run = createFairQueue({ atATime: 1, mostWaiting: MOST_WAITING }).run;
  const thread = createBackgroundThread<StrengthQuestion, string | null>(THREAD);
  return {
    judge: (parts, words, work) => {
      const ask = (): Promise<string | null> => {
        requireTime(work, RESERVE_MS);
        return thread.ask({ parts, words });
      };
      return inTime(work, RESERVE_MS, run(ask, callerOf(work)));
    },
    load: async () => {
      await run(() => thread.ask({ parts: [], words: [] })).catch(() => undefined);
    },
    close: thread.close,
  };
}
