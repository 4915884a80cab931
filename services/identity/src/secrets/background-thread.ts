import { Worker } from "node:worker_threads";
import { AppError } from "@nts/shared/errors";

/** For the first answer, which includes loading. */
const START_MS = 20_000;

export interface ThreadOptions {
  /** The module of the thread: it posts one answer to each message. */
  readonly module: URL;
  /** JavaScript heap. */
  readonly memoryMb: number;
  /** For an answer but the first. */
  readonly longestMs: number;
}

/** A worker thread for one question at a time. */
export interface BackgroundThread<Question, Answer> {
  /** @throws AppError `unavailable` if the thread fails, or takes too long */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

/** The thread starts on first use. It is replaced on failure, and does not keep the process alive. */
export function createBackgroundThread<Question, Answer>(options: ThreadOptions): BackgroundThread<Question, Answer> {
  let worker: Worker | null = null;
  let isReady = false;

  function forget(ended: Worker): void {
    if (worker !== ended) return;
    worker = null;
    isReady = false;
  }

  return {
    ask: async (question) => {
      const current = (worker ??= startWorker(options, forget));
      try {
        const answer = await answerOf(current, question, isReady ? options.longestMs : START_MS);
        isReady = true;
        return answer as Answer;
      } catch (error) {
        forget(current);
        void current.terminate();
        throw new AppError("unavailable", {}, error);
      }
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

function startWorker({ module, memoryMb }: ThreadOptions, onEnd: (worker: Worker) => void): Worker {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  // Callers are rejected; without a listener the process would end.
  worker.on("error", () => undefined);
  worker.once("exit", () => {
    onEnd(worker);
  });
  worker.unref();
  return worker;
}

function answerOf(worker: Worker, question: unknown, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onFault).off("exit", onExit);
    };
    const onMessage = (answer: unknown): void => {
      end();
      resolve(answer);
    };
    const onFault = (error: Error): void => {
      end();
      reject(error);
    };
    const onExit = (): void => {
      onFault(new Error("the thread has ended"));
    };
    const timer = setTimeout(() => {
      onFault(new Error(`the thread took longer than ${limitMs} ms`));
    }, limitMs);
    worker.on("message", onMessage).on("error", onFault).on("exit", onExit);
    worker.postMessage(question);
  });
}
