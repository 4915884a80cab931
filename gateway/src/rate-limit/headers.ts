import type { Level } from "./bucket.js";

/**
 * Names and values by turns of the headers that tell a caller its level; `X-RateLimit-Reset` is in whole seconds until the
 * bucket is full.
 */
export function rateLimitFields({ limit, remaining, fullInMs }: Level): (string | number)[] {
  return [
    ...["X-RateLimit-Limit", limit],
    ...["X-RateLimit-Remaining", remaining],
    ...["X-RateLimit-Reset", Math.ceil(fullInMs / 1000)],
  ];
}

/** Whole seconds, at least 1, after which a refused request succeeds. */
export function retryAfterSeconds({ waitMs }: Level): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}
