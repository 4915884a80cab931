import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "@nts/shared/errors";
import { makersOf, type Recipes } from "./makers.rules.js";
import { threadId } from "./thread-time.js";
import type { ReceivingSession } from "./received-file.js";
import type { Order, Question, Reply } from "./thread.js";

// The thread of imports, one after the other: handles calls of their sessions, one at a time.

const port = parentPort;
if (port === null) throw new Error("this file is run as a worker thread");

// Before anything is loaded, because until it is known, the time since an import began counts as its CPU time.
port.postMessage({ threadId: threadId() });

const { createSession } = await import("./session.js");
const { receiving } = await import("./received-file.js");
const makers = makersOf(workerData as Recipes);
let session: ReceivingSession;

port.on("message", (message: Order) => {
  if (message === "begin") session = receiving(createSession(makers));
  else
    void replyTo(message).then((reply) => {
      port.postMessage(reply);
    });
});

async function replyTo({ id, name, args }: Question): Promise<Reply> {
  try {
    return { id, result: await (session[name] as (...given: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    if (error instanceof AppError) return { id, refusal: { code: error.code, params: error.params } };
    return { id, fault: error };
  }
}
