import { Worker } from "node:worker_threads";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { AppError } from "@nts/shared/errors";
import type { JudgePassword } from "./strength.js";
import type { StrengthQuestion } from "./strength-worker.js";

export const MOST_WAITING = 32;
/** For loading the dictionaries, and for one password. */
const START_MS = 20_000;
const LONGEST_MS = 4_000;
const MEMORY_MB = 128;

/** Rates passwords one at a time in a worker thread with bounded memory and time. */
export interface PasswordJudge {
  /** @throws AppError `unavailable` if too many are queued, or it takes too long */
  readonly judge: JudgePassword;
  close(): Promise<void>;
}

/** Starts the thread on first use. It is replaced on failure, and does not keep the process alive. */
export function createPasswordJudge(): PasswordJudge {
  const run = createBoundedQueue({ atATime: 1, mostWaiting: MOST_WAITING });
  let worker: Worker | null = null;
  let isReady = false;

  async function ask(question: StrengthQuestion): Promise<string | null> {
    const asked = (worker ??= startWorker());
    try {
      if (!isReady) await judgedBy(asked, { parts: [], words: [] }, START_MS);
      isReady = true;
      return await judgedBy(asked, question, LONGEST_MS);
    } catch (error) {
      isReady = false;
      worker = null;
      void asked.terminate();
      throw new AppError("unavailable", {}, error);
    }
  }

  return {
    judge: (parts, words) => run(() => ask({ parts, words })),
    close: async () => {
      await worker?.terminate();
    },
  };
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./strength-worker.js", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  // Callers are rejected; without a listener the process would end.
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}

function judgedBy(worker: Worker, question: StrengthQuestion, limitMs: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onFault).off("exit", onExit);
    };
    const onMessage = (reason: string | null): void => {
      end();
      resolve(reason);
    };
    const onFault = (error: Error): void => {
      end();
      reject(error);
    };
    const onExit = (): void => {
      onFault(new Error("the thread that judges passwords has ended"));
    };
    const timer = setTimeout(() => {
      onFault(new Error(`judging a password took longer than ${limitMs} ms`));
    }, limitMs);
    worker.on("message", onMessage).on("error", onFault).on("exit", onExit);
    worker.postMessage(question);
  });
}
