import type { ClientSession } from "mongodb";
import { noteAccountEvent } from "../audit/notes.js";
import type { Database } from "../database.js";
import { type Forms, openDocuments } from "../documents.js";
import type { UserDocument } from "../users/user.js";

/** Addresses that were proved by a mailed link. */
export interface VerifiedAddresses {
  /** @returns false when the account has another address by now, or is gone */
  verify(user: UserDocument, tx: ClientSession): Promise<boolean>;
  /**
   * Gives an account to who has proved its address, which nobody had before: accounts at providers that somebody linked do not sign
   * in any more.
   *
   * @returns as {@link verify} does
   */
  takeOver(user: UserDocument, tx: ClientSession): Promise<boolean>;
}

export function createVerifiedAddresses({ db }: Pick<Database, "db">, forms?: Forms): VerifiedAddresses {
  const { collection: users, changing } = openDocuments(db, "users", forms);

  async function write({ _id, email }: UserDocument, more: object, tx: ClientSession): Promise<boolean> {
    const verified = changing({ email_verified: { $literal: true }, ...more }, new Date());
    return (await users.updateOne({ _id, email }, verified, { session: tx })).matchedCount === 1;
  }

  return {
    verify: async (user, tx) => {
      if (!(await write(user, {}, tx))) return false;
      if (user.email_verified !== true) noteAccountEvent(tx, user, { action: "verified" });
      return true;
    },
    takeOver: async (user, tx) => {
      if (!(await write(user, { identities: { $literal: [] } }, tx))) return false;
      noteAccountEvent(tx, user, { action: "taken_over" });
      return true;
    },
  };
}
