import { performance } from "node:perf_hooks";
import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
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

/** Makes the attempt of a change that touches nobody's rights. @param key what is changed @param write null when another writer came between */
export function saveIn<T>(
  transaction: RunTransaction,
  work: Work,
  key: string,
  write: (tx: ClientSession) => Promise<T | null>,
): Promise<T | null> {
  return transaction<T | null>(work, [key], async (tx) => {
    const saved = await write(tx);
    if (saved === null) throw new Discard(null);
    return saved;
  });
}
