import { randomBytes } from "node:crypto";

/** A secret of 256 random bits for one person to keep: of a session, or of an invite. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
