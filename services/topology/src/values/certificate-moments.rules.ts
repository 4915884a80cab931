// When to tell of a certificate that ends: at each threshold, and when it is first seen behind one.

const DAY_MS = 86_400_000;

/** Days before the end of a certificate. */
const THRESHOLDS = [30, 7, 1, 0] as const;

/** The first of these moments from which on nothing is told any more, in days from now. */
export const LONGEST_THRESHOLD_DAYS = THRESHOLDS[0];

/** True if a certificate passes a threshold, or is first seen behind one, in the time span. All in milliseconds. */
export function isToldOf(
  { notAfter, since }: { readonly notAfter: number; readonly since: number },
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  return THRESHOLDS.some((days) => {
    const moment = Math.max(notAfter - days * DAY_MS, since);
    return moment > from && moment <= to;
  });
}
