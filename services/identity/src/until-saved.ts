import { performance } from "node:perf_hooks";
import { AppError } from "@nts/shared/errors";

/** Milliseconds before the deadline after which no other attempt begins: a change still has to reach the gateways. */
const RESERVE_MS = 2_000;

/**
 * Loads, decides and saves until no other writer came between: `attempt` returns null when one did.
 *
 * @param deadline of the call, as `performance.now()`
 * @throws AppError `write_conflict` when other writers were faster until the time was up
 */
export async function untilSaved<T>(deadline: number, attempt: () => Promise<T | null>): Promise<T> {
  do {
    const saved = await attempt();
    if (saved !== null) return saved;
  } while (performance.now() < deadline - RESERVE_MS);
  throw new AppError("write_conflict");
}
