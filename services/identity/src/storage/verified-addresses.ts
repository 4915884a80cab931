import type { ClientSession, Document } from "mongodb";
import { noteAccountEvent } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Forms, openDocuments } from "./documents.js";
import { isGuarded, type UserDocument } from "../model/user.js";

/** Verified addresses. */
export interface VerifiedAddresses {
  /** @returns false if the account has another address by now, or was deleted */
  verify(user: UserDocument, tx: ClientSession): Promise<boolean>;
  /**
   * Hands an account to whoever verified its address first: it loses its second factor and linked provider accounts.
   *
   * @returns the user without them; null if the account has another address by now, or was deleted
   */
  takeOver(user: UserDocument, tx: ClientSession): Promise<UserDocument | null>;
}

export function createVerifiedAddresses({ db }: Pick<Database, "db">, forms?: Forms): VerifiedAddresses {
  const { collection: users, changing } = openDocuments(db, "users", forms);

  const verified = (more: object = {}) => changing({ email_verified: { $literal: true }, ...more }, new Date());

  async function write({ _id, email }: UserDocument, update: Document[], tx: ClientSession): Promise<boolean> {
    return (await users.updateOne({ _id, email }, update, { session: tx })).matchedCount === 1;
  }

  return {
    verify: async (user, tx) => {
      if (!(await write(user, verified(), tx))) return false;
      if (user.email_verified !== true) noteAccountEvent(tx, user, { action: "verified" });
      return true;
    },
    takeOver: async (user, tx) => {
      const cleared = [
        ...verified({ identities: { $literal: [] } }),
        { $unset: ["second_factor", "second_factor_offer"] },
      ];
      if (!(await write(user, cleared, tx))) return null;
      noteAccountEvent(tx, user, { action: "taken_over" });
      if (isGuarded(user)) noteAccountEvent(tx, user, { action: "second_factor_disabled" });
      const left: UserDocument = { ...user, email_verified: true, identities: [] };
      delete left.second_factor;
      delete left.second_factor_offer;
      return left;
    },
  };
}
