import type { Level } from "./bucket.js";

/** Of the headers that tell a caller its level, the one with its allowance a minute. */
export const LIMIT_HEADER = "X-RateLimit-Limit";

/** The headers that tell a caller its level; `X-RateLimit-Reset` is in whole seconds until the bucket is full. */
export function rateLimitHeaders({ limit, remaining, fullInMs }: Level): Record<string, number> {
  return {
    [LIMIT_HEADER]: limit,
    "X-RateLimit-Remaining": remaining,
    "X-RateLimit-Reset": Math.ceil(fullInMs / 1000),
  };
}

/** Whole seconds, at least 1, after which a refused request succeeds. */
export function retryAfterSeconds({ waitMs }: Level): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}
