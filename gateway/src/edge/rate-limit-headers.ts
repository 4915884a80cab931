import type { HeaderList } from "./header-list.js";
import type { BucketLevel } from "../rate-limit/bucket.js";

/** Adds the rate limit headers; `X-RateLimit-Reset` is in whole seconds until the bucket is full. */
export function addRateLimit(headers: HeaderList, { limit, remaining, fullInMs }: BucketLevel): void {
  headers
    .add("X-RateLimit-Limit", limit)
    .add("X-RateLimit-Remaining", remaining)
    .add("X-RateLimit-Reset", Math.ceil(fullInMs / 1000));
}

/** Whole seconds, at least 1, after which a rejected request would succeed. */
export function retryAfterSeconds({ waitMs }: BucketLevel): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}
