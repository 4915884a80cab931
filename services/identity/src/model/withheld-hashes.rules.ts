// A build with one organization per account would let a key or session act in the wrong one. So hashes of accounts with
// several organizations are stored in a form that such builds do not find.

const WITHHELD = "of several:";

/** A hash as stored for an account with several organizations. */
export function withheldHash(hash: string): string {
  return WITHHELD + hash;
}

export function isWithheldHash(stored: string): boolean {
  return stored.startsWith(WITHHELD);
}

/** The original hash. */
export function plainHash(stored: string): string {
  return isWithheldHash(stored) ? stored.slice(WITHHELD.length) : stored;
}

/** All stored forms of the given hashes. */
export function storedHashes(hashes: readonly string[]): string[] {
  return hashes.flatMap((hash) => [hash, withheldHash(hash)]);
}
