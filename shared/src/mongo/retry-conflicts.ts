import { performance } from "node:perf_hooks";
import { AppError } from "../errors.js";
import { requireWanted, type Work } from "../work.js";

/**
 * Loads, decides and saves until no other writer came between.
 *
 * @param work the request that asks for it
 * @param reserveMs milliseconds before its deadline after which no other attempt begins
 * @throws AppError `write_conflict` when other writers were faster until the time was up
 */
export async function retryConflicts<T>(work: Work, attempt: () => Promise<T | "conflict">, reserveMs = 0): Promise<T> {
  const until = work.deadline - reserveMs;
  do {
    requireWanted(work);
    const saved = await attempt();
    if (saved !== "conflict") return saved;
  } while (performance.now() < until);
  throw new AppError("write_conflict");
}
