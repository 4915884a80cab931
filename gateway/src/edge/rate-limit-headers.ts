import type { HeaderList } from "./header-list.js";
import type { BucketLevel, BucketLevels } from "../rate-limit/bucket.js";

/**
 * Adds the rate limit headers: of the bucket that allows least, with `X-RateLimit-Reset` in whole seconds until it is full,
 * and of all buckets as the IETF's fields, whose quota is a full bucket and whose window the time to fill it.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function addRateLimit(
  headers: HeaderList,
  { limit, remaining, fullInMs }: BucketLevel,
  levels: BucketLevels,
): void {
  headers
    .add("X-RateLimit-Limit", limit)
    .add("X-RateLimit-Remaining", remaining)
    .add("X-RateLimit-Reset", Math.ceil(fullInMs / 1000));
  let state = "";
  let policy = "";
  for (const [name, level] of Object.entries(levels)) {
    const separator = state === "" ? "" : ", ";
    state += `${separator}"${name}";r=${level.remaining};t=${Math.ceil(level.fullInMs / 1000)}`;
    policy += `${separator}"${name}";q=${level.burst};w=${Math.ceil((level.burst * 60) / level.limit)}`;
  }
  headers.add("RateLimit", state).add("RateLimit-Policy", policy);
}

/** Whole seconds, at least 1, after which a rejected request would succeed. */
export function retryAfterSeconds({ waitMs }: BucketLevel): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}
