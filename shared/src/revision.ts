import { AppError } from "./errors.js";

/**
 * Checks an entity's revision against those of `If-Match` (null if absent, `*` for any).
 *
 * @throws AppError `precondition_failed`
 */
export function requireRevision(ifMatch: readonly string[] | null, revision: number | string): void {
  if (ifMatch === null || ifMatch.includes("*") || ifMatch.includes(String(revision))) return;
  throw new AppError("precondition_failed");
}
