import type { ClientSession } from "mongodb";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { SessionStore } from "./store.js";

/**
 * Begins a session in place of others: `write` and their end are one transaction. When it resolves, no gateway accepts
 * them any more.
 *
 * @param work the request that asks for it
 * @param ended ids of the sessions that end
 * @param keys what `write` writes, as transactions take it
 * @param write a conflict undoes all of it
 * @returns what `write` returned
 */
export type ReplaceSessions = <T>(
  work: Work,
  ended: readonly string[],
  keys: readonly string[],
  write: (tx: ClientSession) => Promise<T | "conflict">,
) => Promise<T | "conflict">;

export interface ReplaceSessionsOptions {
  readonly sessions: Pick<SessionStore, "removeMany">;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
}

export function createReplaceSessions({
  sessions,
  transaction,
  changeRights,
}: ReplaceSessionsOptions): ReplaceSessions {
  return async (work, ended, keys, write) => {
    // Without an old session no right ends, and nobody has to wait for the gateways.
    if (ended.length === 0)
      return transaction(work, keys, async (tx) => {
        const made = await write(tx);
        if (made === "conflict") throw new Discard("conflict");
        return made;
      });
    return changeRights(work, ended, async (tx) => {
      await sessions.removeMany(ended, tx);
      return write(tx);
    });
  };
}
