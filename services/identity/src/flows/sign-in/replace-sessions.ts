import type { ClientSession } from "mongodb";
import { Discard, type RunTransaction, type Written } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { SessionStore } from "../../storage/sessions.js";

/** What gateways must not keep. */
export interface Outdated {
  /** Ids of the sessions that end. */
  readonly ended: readonly string[];
  /** Ids of others whose rights change, as for `ChangeRights`. */
  readonly changed?: readonly string[] | undefined;
}

/**
 * Replaces sessions: `write` and their end are one transaction. Once it resolves, no gateway accepts the old ones.
 *
 * @param work the request
 * @param written as for a transaction
 * @param write a conflict rolls back everything
 * @returns what `write` returned
 */
export type ReplaceSessions = <T>(
  work: Work,
  outdated: Outdated,
  written: Written,
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
  return async (work, { ended, changed = [] }, written, write) => {
    // Otherwise gateways know nothing that becomes wrong, so there is no wait for them.
    if (ended.length + changed.length === 0)
      return transaction(work, written, async (tx) => {
        const made = await write(tx);
        if (made === "conflict") throw new Discard("conflict");
        return made;
      });
    return changeRights(work, [...ended, ...changed], async (tx) => {
      if (ended.length > 0) await sessions.removeMany(ended, tx);
      return write(tx);
    });
  };
}
