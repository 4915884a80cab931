import type { ClientSession, Db } from "mongodb";
import { hashCredential } from "@nts/shared/credential";
import { computed } from "../second-factor/factor.js";
import type { UserDocument } from "../users/user.js";

// Secrets of mailed links, as hashes. With another password than that for which it was made, a link is worth nothing.

export const LINK_TOKENS = "link_tokens";

export type LinkPurpose = "password_reset" | "verification";

interface LinkTokenDocument {
  /** The hash of the token. */
  _id: string;
  purpose: LinkPurpose;
  user_id: string;
  email: string;
  /** Of the stored hash. */
  password: string;
  expires_at: Date;
}

export interface LinkTokens {
  insert(token: string, given: { readonly purpose: LinkPurpose; readonly user: UserDocument; readonly expiresAt: Date }, tx: ClientSession): Promise<void>; // prettier-ignore
  /** The address of the account that a link is for; null for one that never was, or is over. */
  find(token: string, purpose: LinkPurpose, now: Date): Promise<{ readonly email: string } | null>;
  /** Uses a link up, and all others of its purpose and user with it. @returns false when it is used up or void already */
  take(token: string, purpose: LinkPurpose, user: UserDocument, tx: ClientSession): Promise<boolean>;
}

export function createLinkTokens(db: Db): LinkTokens {
  const tokens = db.collection<LinkTokenDocument>(LINK_TOKENS);
  const bound = ({ _id, email, password_hash }: UserDocument) => ({
    ...{ user_id: _id, email, password: hashCredential(computed(password_hash)) },
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
