import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let at = pool.length;

/** A new UUID v7. Random bytes are pooled, because a system call for each would cost more than routing. */
export function newRequestId(): string {
  if (at === pool.length) {
    randomFillSync(pool);
    at = 0;
  }
  const random = pool.subarray(at, at + BYTES);
  at += BYTES;
  return v7({ random });
}

/** A UUID, a ULID or up to 16 bytes in hexadecimal. It is logged, so no form in which secrets come. */
const OF_CLIENTS = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,32}|[0-9a-hjkmnp-tv-z]{26})$/i;

/** The client's own id of a request, to be found in the logs of both sides; null if there is none of its form. */
export function clientRequestIdOf(given: string | string[] | undefined): string | null {
  return typeof given === "string" && OF_CLIENTS.test(given) ? given : null;
}
