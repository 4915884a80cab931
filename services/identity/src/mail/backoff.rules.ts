const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Milliseconds until the next attempt; doubles with each failure. */
export function longestBackoffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
}
