const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const LONGEST_DEFERRAL_MS = 15 * 60_000;

/** Milliseconds until the next attempt; doubles with each failure. */
export function longestBackoffMs(failures: number): number {
  return Math.min(LONGEST_MS, doubled(failures));
}

/**
 * Milliseconds until a mail whose recipient is deferred is tried again. Unlike a failing server, such mails do not pause
 * the others, so many of them must not occupy the process.
 */
export function deferralMs(attempts: number): number {
  return Math.min(LONGEST_DEFERRAL_MS, doubled(attempts));
}

function doubled(times: number): number {
  return FIRST_MS * 2 ** Math.min(times - 1, 20);
}
