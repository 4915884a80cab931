import type { ClientSession } from "mongodb";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { SessionStore } from "./store.js";

/**
 * Begins a session in place of those that the browser had: `write` and their end are one transaction. When it resolves, no
 * gateway accepts them any more.
 *
 * @param work the request that asks for it
 * @param hashes of the tokens that the browser had
 * @param keys what `write` writes, as transactions take it
 */
export type ReplaceSessions = <T>(
  work: Work,
  hashes: readonly string[],
  keys: readonly string[],
  write: (tx: ClientSession) => Promise<T>,
) => Promise<T>;

export interface ReplaceSessionsOptions {
  readonly sessions: Pick<SessionStore, "idsOf" | "removeMany">;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
}

export function createReplaceSessions({
  sessions,
  transaction,
  changeRights,
}: ReplaceSessionsOptions): ReplaceSessions {
  return async <T>(
    work: Work,
    hashes: readonly string[],
    keys: readonly string[],
    write: (tx: ClientSession) => Promise<T>,
  ) => {
    const ended = await sessions.idsOf(hashes);
    // Without an old session no right ends, and nobody has to wait for the gateways.
    if (ended.length === 0) return transaction(work, keys, write);
    const made: { result?: T } = {};
    await changeRights(work, ended, async (tx) => {
      await sessions.removeMany(ended, tx);
      made.result = await write(tx);
      return true;
    });
    return made.result as T;
  };
}
