import { expiryOfNew } from "./lifetime.rules.js";

/** A session; its token is nowhere, only the hash of it. */
export interface SessionDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  hash: string;
  user_id: string;
  organization_id: string;
  created_at: Date;
  expires_at: Date;
}

/** A session that begins now. */
export function newSession(
  user: { readonly _id: string; readonly organization_id: string },
  { id, hash, now }: { readonly id: string; readonly hash: string; readonly now: Date },
): SessionDocument {
  return {
    _id: id,
    hash,
    user_id: user._id,
    organization_id: user.organization_id,
    created_at: now,
    expires_at: expiryOfNew(now),
  };
}
