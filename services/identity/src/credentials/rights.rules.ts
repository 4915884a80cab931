import { lowerOf } from "@nts/shared/contract/endpoint";
import type { Verification } from "@nts/shared/contract/internal";
import type { KeyDocument } from "../keys/key.rules.js";
import type { OrganizationDocument } from "../organizations/organization.js";
import { narrowed, networksOf } from "../scopes.rules.js";
import { slidExpiry } from "../sessions/lifetime.rules.js";
import type { SessionDocument } from "../sessions/session.js";
import type { UserDocument } from "../users/user.js";

// What a credential may do is computed when it is checked and never frozen into it: a key or session of someone whose
// level or networks have changed has changed with them.

/** What the database knows of an API key; `number` is that of the newest key change read before the rest was. */
export interface FoundKey {
  readonly number: number;
  readonly key: KeyDocument | null;
  readonly user: UserDocument | null;
  readonly organization: OrganizationDocument | null;
}

/** What the database knows of a session; `number` as in {@link FoundKey}. */
export interface FoundSession {
  readonly number: number;
  readonly session: SessionDocument | null;
  readonly user: UserDocument | null;
}

type RefusalCode = Extract<Verification, { status: "refused" }>["code"];

/** What an API key may do at a moment. @see docs/api.md "Permissions" */
export function verifyKey({ number, key, user, organization }: FoundKey, now: Date): Verification {
  if (key === null || user === null || organization === null) return refused(number, "api_key_invalid", []);
  const subjects = [key._id, user._id, organization._id];
  if (!key.is_enabled) return refused(number, "api_key_disabled", subjects);
  if (key.expires_at !== null && key.expires_at <= now) return refused(number, "api_key_expired", subjects);
  if (!organization.api_access_enabled) return refused(number, "api_access_disabled", subjects);
  const networks = networksOf(user);
  return {
    status: "valid",
    number,
    principal: {
      kind: "key",
      credential_id: key._id,
      organization_id: organization._id,
      user_id: user._id,
      email: user.email,
      permission: lowerOf(key.permissions, user.permissions),
      networks: key.network_ids === null ? networks : narrowed(networks, key.network_ids),
    },
    expires_in_ms: key.expires_at === null ? null : key.expires_at.getTime() - now.getTime(),
  };
}

/** What a session may do at a moment; it lasts as long as it does once this use of it has moved its end. */
export function verifySession({ number, session, user }: FoundSession, now: Date): Verification {
  if (session === null || user === null || session.expires_at <= now) return refused(number, "session_expired", []);
  const expiresAt = slidExpiry(session, now) ?? session.expires_at;
  return {
    status: "valid",
    number,
    principal: {
      kind: "session",
      credential_id: session._id,
      organization_id: user.organization_id,
      user_id: user._id,
      email: user.email,
      permission: user.permissions,
      networks: networksOf(user),
    },
    expires_in_ms: expiresAt.getTime() - now.getTime(),
  };
}

function refused(number: number, code: RefusalCode, subjects: string[]): Verification {
  return { status: "refused", number, code, subjects };
}
