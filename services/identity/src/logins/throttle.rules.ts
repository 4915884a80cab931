// How long somebody has to wait who gave wrong passwords. What is counted are the failures of one account from one block of
// addresses: whoever guesses keeps nobody else waiting. Beside them, far more leniently, those of one account from all
// addresses together, for guesses that come from everywhere; addresses from which the account has logged in before are
// not concerned. No wait grows beyond its bound, and failures are forgotten.

/** Failures that came one after another, and when the last one did. */
export interface Failures {
  readonly failures: number;
  readonly failed_at: Date;
}

interface Allowance {
  /** Failures without a wait. */
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

export const FROM_ONE_ADDRESS: Allowance = { free: 5, firstWaitMs: 5_000, longestWaitMs: 900_000 };
export const FROM_EVERYWHERE: Allowance = { free: 100, firstWaitMs: 1_000, longestWaitMs: 60_000 };

/** What is allowed from one block of addresses, and from all together. */
export interface Allowances {
  readonly fromAddress: Allowance;
  readonly fromEverywhere: Allowance;
}

export const OF_PASSWORDS: Allowances = { fromAddress: FROM_ONE_ADDRESS, fromEverywhere: FROM_EVERYWHERE };

/** There are a million codes only; but whoever tries one has given the right password, and so keeps no stranger's account waiting. */
export const OF_CODES: Allowances = {
  fromAddress: FROM_ONE_ADDRESS,
  fromEverywhere: { free: 20, firstWaitMs: 5_000, longestWaitMs: 900_000 },
};

/** Milliseconds after the last failure at which failures do not count any more. */
export const FORGOTTEN_MS = 86_400_000;

/** Milliseconds between the last of so many failures and the next try; doubled by each failure. */
export function waitAfterMs(failures: number, { free, firstWaitMs, longestWaitMs }: Allowance): number {
  return failures < free ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - free));
}

/** Milliseconds until the next try; 0 when one is due. */
export function remainingMs(found: Failures | null, allowance: Allowance, now: Date): number {
  if (found === null) return 0;
  const since = now.getTime() - found.failed_at.getTime();
  if (since >= FORGOTTEN_MS) return 0;
  // A clock of another replica may be ahead, which makes nobody wait for longer.
  return Math.max(0, waitAfterMs(found.failures, allowance) - Math.max(0, since));
}
