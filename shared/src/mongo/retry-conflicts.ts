import { performance } from "node:perf_hooks";
import { AppError } from "../errors.js";
import { requireNotAbandoned, type Work } from "../work.js";

/**
 * Loads, decides and saves, again until there is no conflict.
 *
 * @param work the request
 * @param reserveMs milliseconds before its deadline after which no attempt starts
 * @throws AppError `write_conflict` if other writers won until the deadline
 */
export async function retryConflicts<T>(work: Work, attempt: () => Promise<T | "conflict">, reserveMs = 0): Promise<T> {
  const until = work.deadline - reserveMs;
  do {
    requireNotAbandoned(work);
    const saved = await attempt();
    if (saved !== "conflict") return saved;
  } while (performance.now() < until);
  throw new AppError("write_conflict");
}
