// Login throttling. Failures are counted per account and address block, so that attackers do not lock out others, and
// far more leniently per account over all unknown addresses. Delays are bounded and failures expire.

/** Consecutive failures, and the time of the last one. */
export interface Failures {
  readonly failures: number;
  readonly failed_at: Date;
}

interface Allowance {
  /** Failures without a delay. */
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

export const FROM_ONE_ADDRESS: Allowance = { free: 5, firstWaitMs: 5_000, longestWaitMs: 900_000 };
export const FROM_EVERYWHERE: Allowance = { free: 100, firstWaitMs: 1_000, longestWaitMs: 60_000 };

/** The limits for one address block, and for all together. */
export interface Allowances {
  readonly fromAddress: Allowance;
  readonly fromEverywhere: Allowance;
}

export const OF_PASSWORDS: Allowances = { fromAddress: FROM_ONE_ADDRESS, fromEverywhere: FROM_EVERYWHERE };

/** There are only a million codes, but attempts require the correct password, so strangers cannot lock an account. */
export const OF_CODES: Allowances = {
  fromAddress: FROM_ONE_ADDRESS,
  fromEverywhere: { free: 20, firstWaitMs: 5_000, longestWaitMs: 900_000 },
};

/** Milliseconds after the last failure until failures expire. */
export const FORGOTTEN_MS = 86_400_000;

/** Milliseconds between the last of this many failures and the next attempt; doubled by each failure. */
export function waitAfterMs(failures: number, { free, firstWaitMs, longestWaitMs }: Allowance): number {
  return failures < free ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - free));
}

/** Milliseconds until the next attempt; 0 if it is due. */
export function remainingMs(found: Failures | null, allowance: Allowance, now: Date): number {
  if (found === null) return 0;
  const since = now.getTime() - found.failed_at.getTime();
  if (since >= FORGOTTEN_MS) return 0;
  // Another replica's clock may be ahead, which must not extend the delay.
  return Math.max(0, waitAfterMs(found.failures, allowance) - Math.max(0, since));
}
