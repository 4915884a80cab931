// A build that knows one organization per account would let a key or session act in that one, whichever it belongs to. So the hashes
// of those of accounts with several organizations are stored so that such a build does not find them.

const WITHHELD = "of several:";

/** A hash as it is stored for an account with several organizations. */
export function withheldHash(hash: string): string {
  return WITHHELD + hash;
}

export function isWithheldHash(stored: string): boolean {
  return stored.startsWith(WITHHELD);
}

/** The hash itself. */
export function plainHash(stored: string): string {
  return isWithheldHash(stored) ? stored.slice(WITHHELD.length) : stored;
}

/** All that may be stored for hashes. */
export function storedHashes(hashes: readonly string[]): string[] {
  return hashes.flatMap((hash) => [hash, withheldHash(hash)]);
}
