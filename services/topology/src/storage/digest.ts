import { createHash } from "node:crypto";

/** A short text for a long one, the same in every process. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** The digest of a set of ids. */
export function digestOfIds(ids: readonly string[]): string {
  return digestOf([...ids].sort().join(" "));
}
