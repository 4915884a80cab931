import type { OutgoingHttpHeader } from "node:http";
import type { Level } from "./bucket.js";

/**
 * Adds, names and values by turns, the headers that tell a caller its level; `X-RateLimit-Reset` is in whole seconds until the
 * bucket is full.
 */
export function addRateLimit(fields: OutgoingHttpHeader[], { limit, remaining, fullInMs }: Level): void {
  fields.push("X-RateLimit-Limit", limit, "X-RateLimit-Remaining", remaining);
  fields.push("X-RateLimit-Reset", Math.ceil(fullInMs / 1000));
}

/** Whole seconds, at least 1, after which a refused request succeeds. */
export function retryAfterSeconds({ waitMs }: Level): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}
