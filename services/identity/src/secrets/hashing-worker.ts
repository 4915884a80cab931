import { parentPort } from "node:worker_threads";
import { hashSync, type Options, verifySync } from "@node-rs/argon2";
import { lowerThreadPriority } from "@nts/shared/thread-priority";

/** A password to hash, whose answer is the hash, or to compare with a stored hash. */
export type HashingQuestion =
  | { readonly password: string; readonly cost: Options }
  | { readonly password: string; readonly stored: string };

// Less than that of other background work: somebody waits.
lowerThreadPriority(5);

parentPort?.on("message", (question: HashingQuestion) => {
  const { password } = question;
  const answer = "stored" in question ? verifySync(question.stored, password) : hashSync(password, question.cost);
  parentPort?.postMessage(answer);
});
