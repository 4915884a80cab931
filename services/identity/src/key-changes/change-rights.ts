import type { ClientSession } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import { keyChanged } from "@nts/shared/contract/messages";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { afterCommit, type Work } from "@nts/shared/work";
import type { Acknowledgements } from "./acknowledgements.js";
import type { KeyChangeLog } from "./log.js";

/**
 * Makes a change that takes or gives rights: `write` and its entry in the record are one transaction, and the promise
 * resolves, or in a unit of work its end does, when no gateway accepts any more what the change took away. All such transactions write one document first, so
 * they run one after another: `write` may decide by what it reads in the transaction.
 *
 * @param work the request that asks for it
 * @param subjects ids of the keys, sessions, users or organizations of which everything known becomes void
 * @param write makes the change, in the transaction; all of it is undone when another writer came between
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
    const made = await transaction<{ number: number; result: T } | "conflict">(work, ["key_changes"], async (tx) => {
      const number = await keyChanges.takeNumber(tx);
      const result = await write(tx);
      if (result === "conflict") throw new Discard("conflict");
      await keyChanges.append(tx, { number, subjects: [...subjects] });
      return { number, result };
    });
    if (made === "conflict") return "conflict";
    await afterCommit(work, async () => {
      bus.publish(keyChanged, { number: made.number, subjects: [...subjects] });
      await acknowledgements.wait(made.number);
    });
    return made.result;
  };
}
