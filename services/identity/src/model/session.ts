import type { Session } from "@nts/shared/contract/sessions";
import type { Form } from "@nts/shared/mongo/forms";
import type { SignedInBy } from "./linked-identity.rules.js";
import { isOfSeveral } from "./memberships.rules.js";
import type { UserDocument } from "./user.js";
import { withheldHash } from "./withheld-hashes.rules.js";
import { expiryOfNew, lastUseOf } from "./session-lifetime.rules.js";

/** A session. Only the hash of its token is stored. */
export interface SessionDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  /** For accounts with several organizations, as in `withheldHash`. */
  hash: string;
  user_id: string;
  /** In which it acts. */
  organization_id: string;
  created_at: Date;
  expires_at: Date;
  /** A lower bound; see {@link lastUseOf}. */
  last_used: Date;
  /** The user agent, shortened. */
  browser: string | null;
  /** Of the client that signed in. */
  address: string | null;
  /** Absent if started with a password. */
  provider?: SignedInBy;
  /** When the last second factor code was given in it; absent if never. */
  confirmed_at?: Date;
}

/** The client of a sign-in. */
export type SignInPlace = Pick<SessionDocument, "browser" | "address">;

/** Earlier builds record neither browser nor address, and only extend the end. */
export const SESSION_FORM: Form<SessionDocument> = {
  version: 2,
  upgrade: (stored) => ({ ...{ browser: null, address: null, last_used: stored.created_at }, ...stored }),
};

/** A new session. */
export function newSession(
  user: Pick<UserDocument, "_id" | "organization_id" | "other_memberships">,
  {
    id,
    hash,
    now,
    place,
  }: { readonly id: string; readonly hash: string; readonly now: Date; readonly place: SignInPlace },
): SessionDocument {
  return {
    _id: id,
    hash: isOfSeveral(user) ? withheldHash(hash) : hash,
    user_id: user._id,
    organization_id: user.organization_id,
    created_at: now,
    expires_at: expiryOfNew(now),
    last_used: now,
    ...place,
  };
}

/** A session as returned to clients. @param currentId of the requesting session, which is in use now */
export function sessionResponse(session: SessionDocument, currentId: string, now: Date): Session {
  const { _id, created_at, expires_at, browser, address } = session;
  const current = _id === currentId;
  return {
    ...{ id: _id, created_at: created_at.toISOString() },
    ...{ last_used: (current ? now : lastUseOf(session)).toISOString(), expires_at: expires_at.toISOString() },
    ...{ browser, address, provider: session.provider?.id ?? null },
    ...{ organization_id: session.organization_id, current },
  };
}
