// A session ends seven days after its last use, thirty days after its start at the latest. The stored end is extended
// at most hourly.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNUSED_MS = 7 * DAY_MS;
const NOTED_MS = 5 * 60_000;

/** Maximum milliseconds of a session, however much it is used. */
export const LONGEST_MS = 30 * DAY_MS;

/** The end of a new session without further use. */
export function expiryOfNew(now: Date): Date {
  return new Date(now.getTime() + UNUSED_MS);
}

/** The end to store at a use; null if the stored one suffices. */
export function slidExpiry(session: { readonly created_at: Date; readonly expires_at: Date }, now: Date): Date | null {
  const end = Math.min(now.getTime() + UNUSED_MS, session.created_at.getTime() + LONGEST_MS);
  return end - session.expires_at.getTime() >= HOUR_MS ? new Date(end) : null;
}

/** What to store at a use; null if the stored values suffice. */
export function useOf(
  session: { readonly created_at: Date; readonly expires_at: Date; readonly last_used: Date },
  now: Date,
): { readonly last_used: Date; readonly expires_at?: Date } | null {
  const end = slidExpiry(session, now);
  if (end !== null) return { last_used: now, expires_at: end };
  return now.getTime() - session.last_used.getTime() < NOTED_MS ? null : { last_used: now };
}
