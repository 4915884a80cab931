import type { ClientSession } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import { keyChanged } from "@nts/shared/contract/messages";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { afterCommit, type Work } from "@nts/shared/work";
import type { Acknowledgements } from "./acknowledgements.js";
import type { KeyChangeLog } from "../storage/key-changes.js";

/**
 * Makes a change of rights: `write` and its log entry are one transaction, and it resolves when no gateway accepts what
 * was revoked. These transactions are serialized by one document, so `write` may rely on its reads.
 *
 * @param work the request
 * @param subjects ids of keys, sessions, users or organizations to invalidate
 * @param write makes the change in the transaction; rolled back on a conflict
 * @returns what `write` returned
 */
export type ChangeRights = <T>(
  work: Work,
  subjects: readonly string[],
  write: (tx: ClientSession) => Promise<T | "conflict">,
) => Promise<T | "conflict">;

export interface ChangeRightsOptions {
  readonly transaction: RunTransaction;
  readonly keyChanges: KeyChangeLog;
  readonly acknowledgements: Acknowledgements;
  readonly bus: Pick<Bus, "publish">;
}

export function createChangeRights(options: ChangeRightsOptions): ChangeRights {
  const { transaction, keyChanges, acknowledgements, bus } = options;
  return async <T>(work: Work, subjects: readonly string[], write: (tx: ClientSession) => Promise<T | "conflict">) => {
    const made = await transaction<{ number: number; result: T } | "conflict">(
      work,
      { ofAll: "key_changes" },
      async (tx) => {
        const number = await keyChanges.takeNumber(tx);
        const result = await write(tx);
        if (result === "conflict") throw new Discard("conflict");
        await keyChanges.append(tx, { number, subjects: [...subjects] });
        return { number, result };
      },
    );
    if (made === "conflict") return "conflict";
    await afterCommit(work, async () => {
      bus.publish(keyChanged, { number: made.number, subjects: [...subjects] });
      await acknowledgements.wait(made.number);
    });
    return made.result;
  };
}
