import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { callerOf } from "@nts/shared/work";
import { createBackgroundThread } from "./background-thread.js";
import type { JudgePassword } from "./strength.js";
import type { StrengthQuestion } from "./strength-worker.js";

export const MOST_WAITING = 32;
const THREAD = {
  module: new URL("./strength-worker.js", import.meta.url),
  memoryMb: 128,
  longestMs: 4_000,
};

/** Rates passwords one at a time, of callers in turn, in a worker thread with bounded memory and time. */
export interface PasswordJudge {
  /** @throws AppError `unavailable` if too many are queued, or it takes too long */
  readonly judge: JudgePassword;
  close(): Promise<void>;
}

export function createPasswordJudge(): PasswordJudge {
  const run = createBoundedQueue({ atATime: 1, mostWaiting: MOST_WAITING });
  const thread = createBackgroundThread<StrengthQuestion, string | null>(THREAD);
  return {
    judge: (parts, words, work) => run(() => thread.ask({ parts, words }), callerOf(work)),
    close: thread.close,
  };
}
