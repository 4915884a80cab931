import { performance } from "node:perf_hooks";
import { AppError } from "@nts/shared/errors";
import { requireWanted, type Work } from "@nts/shared/work";

/** Milliseconds before the deadline after which no other attempt begins: a change still has to reach the gateways. */
const RESERVE_MS = 2_000;

/**
 * Loads, decides and saves until no other writer came between: `attempt` returns null when one did.
 *
 * @param work the request that asks for it
 * @throws AppError `write_conflict` when other writers were faster until the time was up
 */
export async function untilSaved<T>(work: Work, attempt: () => Promise<T | null>): Promise<T> {
  const until = work.deadline - RESERVE_MS;
  do {
    requireWanted(work);
    const saved = await attempt();
    if (saved !== null) return saved;
  } while (performance.now() < until);
  throw new AppError("write_conflict");
}
