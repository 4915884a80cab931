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
