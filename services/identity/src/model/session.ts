import type { Session } from "@nts/shared/contract/sessions";
import type { SignedInBy } from "./linked-identity.rules.js";
import type { UserDocument } from "./user.js";
import { expiryOfNew } from "./session-lifetime.rules.js";

/** A session. Only the hash of its token is stored. */
export interface SessionDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  hash: string;
  user_id: string;
  /** In which it acts. */
  organization_id: string;
  created_at: Date;
  expires_at: Date;
  /** Exact to minutes; see {@link useOf}. */
  last_used: Date;
  /** The user agent, shortened. */
  browser: string | null;
  /** Of the client that signed in. */
  address: string | null;
  /** Absent if started with a password. */
  provider?: SignedInBy;
  /** Started by a code that was confirmed in another session; absent otherwise. */
  by_device?: true;
  /** When the last second factor code was given in it; absent if never. */
  confirmed_at?: Date;
}

/** The client of a sign-in. */
export type SignInPlace = Pick<SessionDocument, "browser" | "address">;

/** A new session. */
export function newSession(
  user: Pick<UserDocument, "_id" | "organization_id">,
  {
    id,
    hash,
    now,
    place,
  }: { readonly id: string; readonly hash: string; readonly now: Date; readonly place: SignInPlace },
): SessionDocument {
  return {
    _id: id,
    hash,
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
  const { _id, created_at, last_used, expires_at, browser, address } = session;
  const current = _id === currentId;
  return {
    ...{ id: _id, created_at: created_at.toISOString() },
    ...{ last_used: (current ? now : last_used).toISOString(), expires_at: expires_at.toISOString() },
    ...{ browser, address, provider: session.provider?.id ?? null, device: session.by_device === true },
    ...{ organization_id: session.organization_id, current },
  };
}
