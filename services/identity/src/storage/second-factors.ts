import type { ClientSession } from "mongodb";
import { noteAccountEvent } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Forms, openDocuments } from "./documents.js";
import type { UserDocument, GuardedUser } from "../model/user.js";
import type { OfferedFactor } from "../model/second-factor.js";

/** The changes made by an accepted code. */
export type CodeUse =
  | { readonly kind: "digits"; readonly step: number; readonly secret: string }
  | { readonly kind: "recovery"; readonly hash: string };

/** Second factors of users. Writes return false, without effect, if the state differs from what was read. */
export interface SecondFactorStore {
  offer(user: UserDocument, offer: OfferedFactor, tx: ClientSession): Promise<boolean>;
  /** @param given hashed recovery codes, and the time step of the correct code */
  enable(
    user: UserDocument,
    given: { readonly recovery: string[]; readonly step: number; readonly now: Date },
    tx: ClientSession,
  ): Promise<boolean>;
  /** Uses up a code; of two concurrent uses, one fails. */
  use(user: GuardedUser, use: CodeUse, tx: ClientSession): Promise<boolean>;
  renewRecovery(user: GuardedUser, recovery: string[], tx: ClientSession): Promise<boolean>;
  disable(user: GuardedUser, tx: ClientSession): Promise<boolean>;
}

export function createSecondFactorStore({ db }: Pick<Database, "db">, forms?: Forms): SecondFactorStore {
  const { collection: users, changing } = openDocuments(db, "users", forms);

  async function write(filter: object, update: object | object[], tx: ClientSession): Promise<boolean> {
    return (await users.updateOne(filter, update, { session: tx })).matchedCount === 1;
  }

  const sameSecret = ({ _id, second_factor }: GuardedUser) => ({ _id, "second_factor.secret": second_factor.secret });

  return {
    offer: ({ _id, password_hash }, offer, tx) =>
      write({ _id, password_hash }, { $set: { second_factor_offer: offer } }, tx),
    enable: async (user, { recovery, step, now }, tx) => {
      const { _id, password_hash, second_factor_offer: offer } = user;
      const factor = { secret: offer?.secret, since: now, last_step: step, recovery };
      const enabled = changing({ second_factor: { $literal: factor } }, now);
      const unchanged = { _id, password_hash, "second_factor_offer.secret": offer?.secret };
      if (!(await write(unchanged, [...enabled, { $unset: "second_factor_offer" }], tx))) return false;
      noteAccountEvent(tx, user, { action: "second_factor_enabled" });
      return true;
    },
    use: async (user, use, tx) => {
      if (use.kind === "digits") {
        const newer = { ...sameSecret(user), "second_factor.last_step": { $lt: use.step } };
        const used = { "second_factor.last_step": use.step, "second_factor.secret": use.secret };
        return write(newer, { $set: used }, tx);
      }
      const left = { _id: user._id, "second_factor.recovery": use.hash };
      if (!(await write(left, { $pull: { "second_factor.recovery": use.hash } }, tx))) return false;
      noteAccountEvent(tx, user, { action: "recovery_code_used" });
      return true;
    },
    renewRecovery: async (user, recovery, tx) => {
      if (!(await write(sameSecret(user), { $set: { "second_factor.recovery": recovery } }, tx))) return false;
      noteAccountEvent(tx, user, { action: "recovery_codes_renewed" });
      return true;
    },
    disable: async (user, tx) => {
      const { _id, password_hash } = user;
      const disabled = [...changing({}, new Date()), { $unset: ["second_factor", "second_factor_offer"] }];
      if (!(await write({ _id, password_hash, second_factor: { $exists: true } }, disabled, tx))) return false;
      noteAccountEvent(tx, user, { action: "second_factor_disabled" });
      return true;
    },
  };
}
