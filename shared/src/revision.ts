import { AppError } from "./errors.js";

/** What a request requires of the current state of its entity: revisions without quotes, or `*` for any. */
export interface Precondition {
  /** Of `If-Match`; null if absent. */
  readonly match: readonly string[] | null;
  /** Of `If-None-Match`; null if absent. */
  readonly noneMatch: readonly string[] | null;
}

/**
 * Checks the revision of an entity that exists.
 *
 * @throws AppError `precondition_failed`
 */
export function requireRevision(precondition: Precondition | null, revision: number | string): void {
  if (precondition === null) return;
  const { match, noneMatch } = precondition;
  const isAmong = (revisions: readonly string[]): boolean =>
    revisions.includes("*") || revisions.includes(String(revision));
  if ((match !== null && !isAmong(match)) || (noneMatch !== null && isAmong(noneMatch)))
    throw new AppError("precondition_failed");
}
