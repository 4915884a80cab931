import type { ClientSession, Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import type { SignedInBy } from "../model/linked-identity.rules.js";
import { newToken } from "../secrets/tokens.js";
import type { UserDocument } from "../model/user.js";

// Sign-ins waiting for a code after the correct password. Not a session: for a few minutes, it allows attempts at codes
// and starting one session.

/** Seconds to enter a code. */
export const CHALLENGE_SECONDS = 300;

/** Maximum challenges of a user per address block; a further one replaces the oldest. */
const MOST = 10;

interface ChallengeDocument {
  /** Hash of the token. */
  _id: string;
  user_id: string;
  organization_id: string;
  /** Of the stored hash: a password change invalidates the challenge. */
  password: string;
  /** The provider that signed the user in; absent with a password. */
  provider?: SignedInBy;
  address_block: string;
  created_at: Date;
  expires_at: Date;
}

/** Whose code is expected. */
export type Challenged = Pick<ChallengeDocument, "user_id" | "organization_id" | "provider">;

export interface Challenges {
  /** @returns the token */
  issue(user: UserDocument, address: string, now: Date, provider?: SignedInBy): Promise<string>;
  /** Challenges of a user signed out by a provider. */
  removeAllOf(userId: string, provider: string, tx: ClientSession): Promise<void>;
  /** @returns null if unknown or expired */
  find(token: string, now: Date): Promise<Challenged | null>;
  /** Uses it up. @returns false if it is already used, or the password has changed */
  take(token: string, user: UserDocument, tx: ClientSession): Promise<boolean>;
}

export function createChallenges(db: Db): Challenges {
  const challenges = db.collection<ChallengeDocument>("challenges");
  return {
    issue: async (user, address, now, provider) => {
      const token = newToken();
      const theirs = { user_id: user._id, address_block: addressBlockOf(address) };
      const old = await challenges
        .find(theirs, { projection: { _id: 1 } })
        .sort({ created_at: -1 })
        .skip(MOST - 1)
        .limit(MOST)
        .toArray();
      if (old.length > 0) await challenges.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
      await challenges.insertOne({
        ...{ _id: hashCredential(token), ...theirs, organization_id: user.organization_id },
        ...{ password: hashCredential(user.password_hash), created_at: now, ...(provider && { provider }) },
        expires_at: new Date(now.getTime() + CHALLENGE_SECONDS * 1000),
      });
      return token;
    },
    removeAllOf: async (userId, provider, tx) => {
      await challenges.deleteMany({ user_id: userId, "provider.id": provider }, { session: tx });
    },
    find: (token, now) => challenges.findOne({ _id: hashCredential(token), expires_at: { $gt: now } }),
    take: async (token, user, tx) => {
      const theirs = { _id: hashCredential(token), user_id: user._id, password: hashCredential(user.password_hash) };
      return (await challenges.deleteOne(theirs, { session: tx })).deletedCount === 1;
    },
  };
}
