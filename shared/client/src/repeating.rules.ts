import type { ApiError, FailureCode } from "./api-error.js";

// Which failed calls are sent again, and when.

/** How often and for how long a call is repeated. */
export interface Repeating {
  /** Repeats at most; 0 turns them off. */
  readonly retries: number;
  /** Seconds that a `Retry-After` may ask for; beyond that the call fails at once. */
  readonly longestWaitSeconds: number;
}

export const REPEATING: Repeating = { retries: 4, longestWaitSeconds: 60 };

const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/** Refused before anything was done, or while the first request of a key is still being worked on. */
const WITHOUT_EFFECT: readonly FailureCode[] = ["idempotency_in_progress", "write_conflict"];

/** Nobody, or nobody who was there, has said what became of the request. */
const UNKNOWN_OUTCOME = [0, 502, 503, 504];

/**
 * Milliseconds to wait before a call is sent again; null when it is not.
 *
 * @param isSafe a second request has no second effect: it reads, or has an idempotency key
 * @param chance from 0 to 1; callers that failed together do not come back together
 */
export function repeatAfterMs(
  { status, code, retryAfterSeconds }: Pick<ApiError, "status" | "code" | "retryAfterSeconds">,
  isSafe: boolean,
  attempt: number,
  { retries, longestWaitSeconds, chance }: Repeating & { readonly chance: number },
): number | null {
  const isRepeatable = status === 429 || WITHOUT_EFFECT.includes(code) || (isSafe && UNKNOWN_OUTCOME.includes(status));
  if (!isRepeatable || attempt >= retries || (retryAfterSeconds ?? 0) > longestWaitSeconds) return null;
  const backoff = chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (retryAfterSeconds ?? 0) * 1_000 + backoff;
}
