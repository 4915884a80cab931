import type { UserDocument } from "../users/user.js";

/** What somebody has beside the password. */
export interface SecondFactor {
  /** Of the authenticator app; sealed. */
  secret: string;
  since: Date;
  /** Of the last code that was accepted. */
  last_step: number;
  /** Hashes of the recovery codes that are left. */
  recovery: string[];
}

/** A secret that counts once a code of it was right. */
export interface OfferedFactor {
  /** Sealed. */
  secret: string;
  expires_at: Date;
}

/** A user with a second factor. */
export type GuardedUser = UserDocument & { readonly second_factor: SecondFactor };

export function isGuarded(user: UserDocument): user is GuardedUser {
  return user.second_factor !== undefined;
}

/** The account under which wrong codes are counted: apart from wrong passwords, which the right password makes forgotten. */
export function accountOfCodes({ _id }: Pick<UserDocument, "_id">): string {
  return `second factor of ${_id}`;
}

// A build that knows no second factors would let somebody in with the password alone. So the hash of a guarded user's password is
// stored as one of another function: such a build computes that one, and finds that no password is right.

const COMPUTED = "$argon2id$";
const WITHHELD = "$argon2i$";

/** The hash of a password as it is stored beside a second factor. */
export function withheld(passwordHash: string): string {
  return passwordHash.replace(COMPUTED, WITHHELD);
}

/** The hash of a password as it was computed. */
export function computed(stored: string): string {
  return stored.replace(WITHHELD, COMPUTED);
}
