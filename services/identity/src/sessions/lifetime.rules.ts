// A session ends seven days after its last use and thirty days after its beginning. Its end is stored; it moves on at
// use, but not more often than once an hour.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNUSED_MS = 7 * DAY_MS;

/** Milliseconds from the beginning of a session to its end, however much it is used. */
export const LONGEST_MS = 30 * DAY_MS;

/** The end of a session that begins now, when it is not used again. */
export function expiryOfNew(now: Date): Date {
  return new Date(now.getTime() + UNUSED_MS);
}

/** The end to store at a use of a session that has not ended; null when the stored one is good enough. */
export function slidExpiry(session: { readonly created_at: Date; readonly expires_at: Date }, now: Date): Date | null {
  const end = Math.min(now.getTime() + UNUSED_MS, session.created_at.getTime() + LONGEST_MS);
  return end - session.expires_at.getTime() >= HOUR_MS ? new Date(end) : null;
}
