import { type RunTransaction, Discard } from "@nts/shared/mongo/transaction";
import type { Log } from "@nts/shared/log";
import { repeatUntilStopped } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import type { KeyStore } from "../../storage/api-keys.js";

const EVERY_MS = 600_000;

/** Removes the access of assistants that have not renewed it in time. No gateway accepts it any more. */
export type RemoveEndedGrants = (signal: AbortSignal) => Promise<void>;

export function createRemoveEndedGrants(
  keys: Pick<KeyStore, "findEndedGrants" | "remove">,
  transaction: RunTransaction,
): RemoveEndedGrants {
  return async (signal) => {
    while (!signal.aborted) {
      const ended = await keys.findEndedGrants(new Date());
      if (ended.length === 0) return;
      for (const key of ended)
        await transaction(BACKGROUND, [key._id], async (tx) => {
          const owner = { organizationId: key.organization_id, userId: key.user_id };
          if ((await keys.remove(owner, key, tx)) === "conflict") throw new Discard(undefined);
        });
    }
  };
}

/** Removes it until stopped. Several processes may do so at a time. */
export function startRemovingGrants(remove: RemoveEndedGrants, log: Log): { stop(): Promise<void> } {
  return repeatUntilStopped(remove, {
    everyMs: EVERY_MS,
    onFault: (error) => {
      log.warn({ err: error }, "ended access of assistants was not removed; trying again");
    },
  });
}
