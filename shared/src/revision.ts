import { AppError } from "./errors.js";

/**
 * Checks the revision of an entity against those that `If-Match` named (null when it was not sent, `*` for any).
 *
 * @throws AppError `precondition_failed`
 */
export function requireRevision(ifMatch: readonly string[] | null, revision: number | string): void {
  if (ifMatch === null || ifMatch.includes("*") || ifMatch.includes(String(revision))) return;
  throw new AppError("precondition_failed");
}
