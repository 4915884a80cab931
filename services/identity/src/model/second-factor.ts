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
