import type { ApiError, FailureCode } from "./api-error.js";

// Which failed calls are retried, and when.

/** How often and how long a call is retried. */
export interface RetryPolicy {
  /** Maximum retries; 0 disables them. */
  readonly retries: number;
  /** Maximum `Retry-After` in seconds; if exceeded, the call fails at once. */
  readonly longestWaitSeconds: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { retries: 4, longestWaitSeconds: 60 };

const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/** Rejected before any effect, or while the first request with the key is still in progress. */
const WITHOUT_EFFECT: readonly FailureCode[] = ["idempotency_in_progress", "write_conflict"];

/** The outcome of the request is unknown. */
const UNKNOWN_OUTCOME = [0, 502, 503, 504];

/**
 * Milliseconds to wait before a retry; null for no retry.
 *
 * @param isSafe a second request has no second effect: it is a read, or has an idempotency key
 * @param chance from 0 to 1, so that callers that failed together do not retry together
 */
export function retryDelayMs(
  { status, code, retryAfterSeconds }: Pick<ApiError, "status" | "code" | "retryAfterSeconds">,
  isSafe: boolean,
  attempt: number,
  { retries, longestWaitSeconds, chance }: RetryPolicy & { readonly chance: number },
): number | null {
  const isRetryable = status === 429 || WITHOUT_EFFECT.includes(code) || (isSafe && UNKNOWN_OUTCOME.includes(status));
  if (!isRetryable || attempt >= retries || (retryAfterSeconds ?? 0) > longestWaitSeconds) return null;
  const backoff = chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (retryAfterSeconds ?? 0) * 1_000 + backoff;
}
