import { Worker } from "node:worker_threads";
import { AppError, type ErrorCode, type ErrorParams } from "@nts/shared/errors";
import { lowerThreadPriority } from "@nts/shared/thread-priority";
import { RECIPES } from "./recipes.js";
import type { ReceivingSession } from "./received-file.js";
import { threadSeconds } from "./thread-time.js";

// Files are read, recognized and planned in a separate thread with limits of CPU time and memory, so that exceeding
// them only ends the own import.

/** A call of the session in the thread. */
export interface Question {
  readonly id: number;
  readonly name: keyof ReceivingSession;
  readonly args: readonly unknown[];
}

/** What a thread is sent. */
export type Order = Question | "begin";

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: { readonly code: ErrorCode; readonly params: ErrorParams } }
  | { readonly id: number; readonly fault: unknown };

type Promised<F> = F extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;

/** A session in another thread. */
export type Remote = { readonly [Name in keyof ReceivingSession]: Promised<ReceivingSession[Name]> };

export interface ImportThread {
  /** Begins an import, after those before have ended. @param seconds CPU time of all of it */
  begin(seconds: number): Remote;
  hasEnded(): boolean;
  /** Lowers its priority behind requests, for good. */
  giveWay(): void;
  hasGivenWay(): boolean;
  /** Ends the thread; pending calls are rejected. */
  end(): Promise<void>;
}

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

const NAMES: readonly (keyof ReceivingSession)[] = [
  "receive",
  "read",
  "identities",
  "recognize",
  "addressed",
  "recognizeBare",
  "marked",
  "recognizeMarked",
  "unrecognized",
  "recognizeHosts",
  "settle",
  "jobs",
  "connections",
  "dependencies",
  "match",
  "plan",
  "planAll",
  "planNew",
  "planUpdates",
  "subnetMade",
  "leftOut",
  "absentIdentities",
  "presenceOf",
  "wiredMacs",
  "recognizeWired",
  "cards",
  "wiredHosts",
  "resolve",
  "planLinks",
  "factsOfNew",
];
const WATCH_EVERY_MS = 100;
/** An import that has taken more gives way to requests. Most end before, and are waited for by a person. */
const PROMPT_SECONDS = 1;
const GIVING_WAY = 10;
/** Less is slower; more is memory used by every import. */
const YOUNG_MB = 6;

/** Starts a thread. @param memoryMb its JavaScript heap @param promptSeconds of an import, before it gives way */
export function startImportThread(memoryMb: number, promptSeconds = PROMPT_SECONDS): ImportThread {
  let startedAt = 0;
  let secondsBefore = 0;
  let most = Infinity;
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    env: {},
    workerData: RECIPES,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: 4 },
  });
  const pending = new Map<number, Pending>();
  let threadId: string | null = null;
  let ended: AppError | null = null;
  let calls = 0;
  let givesWay = false;
  /** While calls are pending. */
  let watch: NodeJS.Timeout | undefined;

  function finish(error: AppError): void {
    ended ??= error;
    clearInterval(watch);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  }

  function stop(error: AppError): Promise<void> {
    finish(error);
    return worker.terminate().then(() => undefined);
  }

  function giveWay(): void {
    givesWay = true;
    if (threadId === null) return;
    try {
      lowerThreadPriority(GIVING_WAY, Number(threadId));
    } catch {
      // it has just ended
    }
  }

  const secondsNow = (): number | null => (threadId === null ? null : threadSeconds(threadId));

  function limitTime(): void {
    if (pending.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
    const now = secondsNow();
    const seconds = now === null ? (performance.now() - startedAt) / 1_000 : now - secondsBefore;
    if (seconds > promptSeconds && !givesWay) giveWay();
    if (seconds > most) void stop(tooExpensive("processor_time"));
  }

  worker.on("message", (message: Reply | { readonly threadId: string | null }) => {
    if ("threadId" in message) {
      ({ threadId } = message);
      if (givesWay) giveWay();
      return;
    }
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ("result" in message) waiting?.resolve(message.result as never);
    else if ("refusal" in message) waiting?.reject(new AppError(message.refusal.code, message.refusal.params));
    else waiting?.reject(message.fault);
  });
  worker.on("error", (error: Error & { code?: string }) => {
    finish(
      error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooExpensive("memory") : new AppError("internal_error", {}, error),
    );
  });
  worker.on("exit", () => {
    finish(new AppError("internal_error", {}, new Error("the thread of an import has ended")));
  });
  // A process that has stopped does not wait for one that is kept. Listeners would undo this.
  worker.unref();

  const ask = (name: keyof ReceivingSession, args: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      if (ended !== null) {
        reject(ended);
        return;
      }
      const id = ++calls;
      watch ??= setInterval(limitTime, WATCH_EVERY_MS).unref();
      pending.set(id, { resolve, reject });
      worker.postMessage({ id, name, args } satisfies Question, transferable(args));
    });
  const functions = NAMES.map((name) => [name, (...args: unknown[]) => ask(name, args)]);
  const session = Object.fromEntries(functions) as Remote;
  return {
    begin: (seconds) => {
      most = seconds;
      startedAt = performance.now();
      secondsBefore = secondsNow() ?? 0;
      worker.postMessage("begin" satisfies Order);
      return session;
    },
    hasEnded: () => ended !== null,
    giveWay,
    hasGivenWay: () => givesWay,
    end: () => stop(new AppError("unavailable")),
  };
}

/** Blocks of a file are transferred, not copied. */
function transferable(args: readonly unknown[]): ArrayBuffer[] {
  return args.flatMap((value) => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []));
}

function tooExpensive(limit: "processor_time" | "memory"): AppError {
  return new AppError("import_too_expensive", { limit });
}
