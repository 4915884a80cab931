import type { ClientSession, Db } from "mongodb";
import { hashCredential } from "@nts/shared/credential";
import type { UserDocument } from "../model/user.js";

// Hashed tokens of mailed links. A link becomes invalid when the password changes.

export const LINK_TOKENS = "link_tokens";

export type LinkPurpose = "password_reset" | "verification";

interface LinkTokenDocument {
  /** Hash of the token. */
  _id: string;
  purpose: LinkPurpose;
  user_id: string;
  email: string;
  /** Of the stored hash. */
  password: string;
  expires_at: Date;
}

export interface LinkTokens {
  insert(
    token: string,
    given: { readonly purpose: LinkPurpose; readonly user: UserDocument; readonly expiresAt: Date },
    tx: ClientSession,
  ): Promise<void>;
  /** The address of a link's account; null if unknown or expired. */
  find(token: string, purpose: LinkPurpose, now: Date): Promise<{ readonly email: string } | null>;
  /** Uses up a link and all others of its purpose and user. @returns false if it was already invalid */
  take(token: string, purpose: LinkPurpose, user: UserDocument, tx: ClientSession): Promise<boolean>;
}

export function createLinkTokens(db: Db): LinkTokens {
  const tokens = db.collection<LinkTokenDocument>(LINK_TOKENS);
  const bound = ({ _id, email, password_hash }: UserDocument) => ({
    ...{ user_id: _id, email, password: hashCredential(password_hash) },
  });
  return {
    insert: async (token, { purpose, user, expiresAt }, tx) => {
      const made = { _id: hashCredential(token), purpose, ...bound(user), expires_at: expiresAt };
      await tokens.insertOne(made, { session: tx });
    },
    find: (token, purpose, now) =>
      tokens.findOne({ _id: hashCredential(token), purpose, expires_at: { $gt: now } }, { projection: { email: 1 } }),
    take: async (token, purpose, user, tx) => {
      const its = { _id: hashCredential(token), purpose, ...bound(user), expires_at: { $gt: new Date() } };
      if ((await tokens.deleteOne(its, { session: tx })).deletedCount === 0) return false;
      await tokens.deleteMany({ user_id: user._id, purpose }, { session: tx });
      return true;
    },
  };
}
