import type { ClientSession } from "mongodb";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";

/** Milliseconds before the deadline after which no attempt starts, as changes must still reach the gateways. */
const RESERVE_MS = 2_000;

/** Loads, decides and saves, again until there is no conflict. @throws AppError `write_conflict` */
export function untilSaved<T>(work: Work, attempt: () => Promise<T | "conflict">): Promise<T> {
  return retryConflicts(work, attempt, RESERVE_MS);
}

/** An attempt of a change that affects no rights. @param key what is changed */
export function saveIn<T>(
  transaction: RunTransaction,
  work: Work,
  key: string,
  write: (tx: ClientSession) => Promise<T | "conflict">,
): Promise<T | "conflict"> {
  return transaction<T | "conflict">(work, [key], async (tx) => {
    const saved = await write(tx);
    if (saved === "conflict") throw new Discard("conflict");
    return saved;
  });
}
