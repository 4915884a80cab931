import type { OrganizationDocument } from "../organizations/organization.js";
import type { KeyDocument } from "./key.rules.js";

// When a secret ends is computed when it is checked and never stored: an organization that shortens the lifetime of its keys
// shortens that of those that exist.

const DAY_MS = 86_400_000;

type Dated = Pick<KeyDocument, "created_at" | "issued_at" | "expires_at" | "previous">;

/** Days that a secret may be in use; null for any number. */
export function maxLifetimeOf(organization: Pick<OrganizationDocument, "max_key_lifetime_days">): number | null {
  return organization.max_key_lifetime_days ?? null;
}

/** When the present secret of a key ends: with its key, or at the age that its organization permits; null for never. */
export function endOf(key: Dated, maxLifetimeDays: number | null): Date | null {
  return earliest(key.expires_at, ageLimit(key.issued_at ?? key.created_at, maxLifetimeDays));
}

/** When the secret before the last rotation ends; null when there is none. */
export function endOfPrevious(key: Dated, maxLifetimeDays: number | null): Date | null {
  const { previous } = key;
  if (previous === null) return null;
  return earliest(previous.expires_at, key.expires_at, ageLimit(previous.issued_at ?? key.created_at, maxLifetimeDays));
}

function ageLimit(issuedAt: Date, days: number | null): Date | null {
  return days === null ? null : new Date(issuedAt.getTime() + days * DAY_MS);
}

function earliest(...ends: readonly (Date | null)[]): Date | null {
  const times = ends.flatMap((end) => (end === null ? [] : [end.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times));
}
