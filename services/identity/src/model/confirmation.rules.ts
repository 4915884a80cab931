/** Milliseconds for which a code given in a session confirms its actions. */
export const CONFIRMED_MS = 600_000;

/** Until when a session is, or was, confirmed; null if never. */
export function confirmedUntil(confirmedAt: Date | undefined): Date | null {
  return confirmedAt === undefined ? null : new Date(confirmedAt.getTime() + CONFIRMED_MS);
}
