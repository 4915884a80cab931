import type { KeyDocument } from "./key.rules.js";

// Expiry is computed on verification and never stored, so that a shorter lifetime also applies to existing keys.

const DAY_MS = 86_400_000;

type Dated = Pick<KeyDocument, "created_at" | "issued_at" | "expires_at" | "previous" | "grant">;

/** When the current secret expires: with its key, as an access token, or at the organization's maximum age; null for never. */
export function endOf(key: Dated, maxLifetimeDays: number | null): Date | null {
  const ofToken = key.grant?.token_ends_at ?? null;
  return earliest(key.expires_at, ofToken, ageLimit(key.issued_at ?? key.created_at, maxLifetimeDays));
}

/** When the previous secret expires; null if there is none. */
export function endOfPrevious(key: Dated, maxLifetimeDays: number | null): Date | null {
  const { previous } = key;
  if (previous === null) return null;
  return earliest(previous.expires_at, key.expires_at, ageLimit(previous.issued_at, maxLifetimeDays));
}

function ageLimit(issuedAt: Date, days: number | null): Date | null {
  return days === null ? null : new Date(issuedAt.getTime() + days * DAY_MS);
}

function earliest(...ends: readonly (Date | null)[]): Date | null {
  const times = ends.flatMap((end) => (end === null ? [] : [end.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times));
}
