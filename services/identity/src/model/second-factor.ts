/** A user's second factor. */
export interface SecondFactor {
  /** Secret of the authenticator app, encrypted. */
  secret: string;
  since: Date;
  /** Time step of the last accepted code. */
  last_step: number;
  /** Hashes of the remaining recovery codes. */
  recovery: string[];
}

/** A secret that becomes active with its first correct code. */
export interface OfferedFactor {
  /** Encrypted. */
  secret: string;
  expires_at: Date;
}

/**
 * The account name under which wrong codes are counted: apart from wrong passwords, which the correct password clears.
 */
export function accountOfCodes({ _id }: { readonly _id: string }): string {
  return `second factor of ${_id}`;
}

// A build without second factors would accept the password alone. So hashes of protected users are stored in a form
// that such builds never match.

const COMPUTED = "$argon2id$";
const WITHHELD = "$argon2i$";

/** The hash of a password as stored with a second factor. */
export function withheld(passwordHash: string): string {
  return passwordHash.replace(COMPUTED, WITHHELD);
}

/** The original hash of a password. */
export function computed(stored: string): string {
  return stored.replace(WITHHELD, COMPUTED);
}
