import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { AppError } from "@nts/shared/errors";
import { threadId } from "./thread-time.js";
import type { Question, Reply } from "./thread.js";

// The thread of an import: handles calls of its session sequentially.

const port = parentPort;
if (port === null) throw new Error("this file is run as a worker thread");

// First, because until it is known the thread's age counts as its CPU time.
port.postMessage({ threadId: threadId() });

// On Linux this sets the priority of the thread, so that requests come first when CPUs are busy.
const BEHIND_REQUESTS = 10;
if (process.platform === "linux") setPriority(BEHIND_REQUESTS);

// Loaded at low priority, as it costs as much as reading a scan.
const { createSession } = await import("./session.js");
const session = createSession();

port.on("message", ({ id, name, args }: Question) => {
  port.postMessage(replyTo(id, name, args));
});

function replyTo(id: number, name: Question["name"], args: readonly unknown[]): Reply {
  try {
    return { id, result: (session[name] as (...given: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    if (error instanceof AppError) return { id, refusal: { code: error.code, params: error.params } };
    return { id, fault: error };
  }
}
