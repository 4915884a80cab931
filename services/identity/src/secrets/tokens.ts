import { randomBytes } from "node:crypto";

/** A 256-bit random secret for one person, of a session or an invite. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
