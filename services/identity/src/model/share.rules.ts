import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { HiddenPart, Share, ShareInput } from "@nts/shared/contract/shares";
import { AppError, validationFailed } from "@nts/shared/errors";

// A share is a credential for one operation: whoever has its link sees one view of one network. It never shows more than the
// user may see who made it.

export interface ShareDocument {
  _id: string;
  /** Of the whole secret. */
  hash: string;
  created_at: Date;
  organization_id: string;
  /** Who made it. */
  user_id: string;
  /** The API key with which it was made; null for a session. */
  key_id: string | null;
  view_id: string;
  network_id: string;
  name: string;
  expires_at: Date | null;
  allow_embedding: string[];
  hide: HiddenPart[];
  as_of: Date | null;
  last_used: Date | null;
  uses: number;
  /** The last day of which the audit log has its number of uses. */
  noted_on: string | null;
  /** When its document is deleted; absent if it does not expire. */
  purge_at?: Date;
}

/** Shares never change, except for their uses. */
export const SHARE_REVISION = 1;

/** Expired shares are listed for as long as that. */
const LISTED_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;

/** A view, as topology knows it. */
export interface SharedView {
  readonly id: string;
  readonly network_id: string | null;
  readonly name: string;
}

/** What a body says of a new share. @throws AppError `validation_failed` · `network_mismatch` */
export function shareSettings(
  { id: view_id, network_id: own, name }: SharedView,
  { expires_at, allow_embedding, hide, as_of, network_id }: ShareInput,
  now: Date,
): Pick<
  ShareDocument,
  "view_id" | "network_id" | "name" | "expires_at" | "allow_embedding" | "hide" | "as_of" | "purge_at"
> {
  if (own !== null && network_id !== undefined && network_id !== own)
    throw new AppError("network_mismatch", { path: "network_id" });
  const place = own ?? network_id;
  if (place === undefined)
    throw validationFailed({ path: "network_id", message: "is required for a view of the whole organization" });
  const ends = dateOf(expires_at);
  if (ends !== null && ends <= now) throw validationFailed({ path: "expires_at", message: "must be in the future" });
  const shown = dateOf(as_of);
  if (shown !== null && shown > now) throw validationFailed({ path: "as_of", message: "must not be in the future" });
  const purge = ends === null ? {} : { purge_at: new Date(ends.getTime() + LISTED_MS) };
  return { view_id, network_id: place, name, expires_at: ends, allow_embedding, hide, as_of: shown, ...purge };
}

function dateOf(moment: string | null): Date | null {
  return moment === null ? null : new Date(moment);
}

/** When a share ends, also by the maximum age of secrets of its organization. */
export function endOfShare(
  { created_at, expires_at }: Pick<ShareDocument, "created_at" | "expires_at">,
  maxLifetimeDays: number | null,
): Date | null {
  if (maxLifetimeDays === null) return expires_at;
  const latest = new Date(created_at.getTime() + maxLifetimeDays * DAY_MS);
  return expires_at !== null && expires_at < latest ? expires_at : latest;
}

/** Who may have shares; those of others end. */
export function maySharesBeOf({ permissions }: { readonly permissions: Permission }): boolean {
  return isAtLeast(permissions, "Admin");
}

export function shareResponse(share: ShareDocument, maxLifetimeDays: number | null): Share {
  const { created_at, expires_at, as_of, last_used } = share;
  const { view_id, network_id, user_id, name, allow_embedding, hide, uses } = share;
  return {
    ...{ id: share._id, created_at: created_at.toISOString(), view_id, network_id, user_id, name },
    expires_at: expires_at?.toISOString() ?? null,
    ends_at: endOfShare(share, maxLifetimeDays)?.toISOString() ?? null,
    ...{ allow_embedding, hide, as_of: as_of?.toISOString() ?? null },
    ...{ last_used: last_used?.toISOString() ?? null, uses },
  };
}
