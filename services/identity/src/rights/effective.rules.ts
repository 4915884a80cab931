import { lowerOf } from "@nts/shared/contract/endpoint";
import type { KeyLimits, ShareVerification, Verification } from "@nts/shared/contract/internal";
import type { FoundCollector, FoundKey, FoundSession, FoundShare } from "../storage/credentials.js";
import { endOfCollectorKey, nameInLogs, planOf } from "../model/collector.rules.js";
import { type KeyDocument, secretOf } from "../model/key.rules.js";
import { endOf, endOfPrevious } from "../model/key-lifetime.rules.js";
import { maxLifetimeOf, type OrganizationDocument } from "../model/organization.js";
import { narrowed, networksOf } from "../model/scopes.rules.js";
import { endOfShare, maySharesBeOf } from "../model/share.rules.js";
import { slidExpiry } from "../model/session-lifetime.rules.js";
import { confirmedUntil } from "../model/confirmation.rules.js";
import { isDisabled, type UserDocument } from "../model/user.js";

// Rights are computed on each verification and never stored with the credential, so that changes of a user apply to
// keys and sessions at once.

type RefusalCode = Extract<Verification, { status: "refused" }>["code"];

/**
 * Computes the rights of an API key.
 *
 * @see docs/api.md "Permissions"
 */
export function verifyKey(found: FoundKey, now: Date): Verification {
  const { number, hash, key, user, organization } = found;
  if (key === null || user === null || organization === null) return refused(number, "api_key_invalid", []);
  const subjects = [key._id, user._id, organization._id];
  const secret = secretOf(key, hash, now);
  if (secret === null) return refused(number, "api_key_invalid", subjects);
  const limits = limitsOf(key);
  if (!key.is_enabled || isDisabled(user)) return refused(number, "api_key_disabled", subjects);
  const endsAt = (secret === "previous" ? endOfPrevious : endOf)(key, maxLifetimeOf(organization));
  if (endsAt !== null && endsAt <= now) return refused(number, "api_key_expired", subjects);
  if (!organization.api_access_enabled) return refused(number, "api_access_disabled", subjects);
  if (lacksFactor(user, organization)) return refused(number, "second_factor_required", subjects);
  const networks = networksOf(user);
  const isCollecting = key.scope === "collect";
  const isEnding = key.expires_at !== null || key.grant !== undefined;
  const isLimited = isCollecting || isEnding || key.network_ids !== null || limits !== undefined;
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
      ...(isLimited && { is_limited: true as const }),
      ...(isCollecting && { is_collecting: true as const }),
    },
    expires_in_ms: endsAt === null ? null : endsAt.getTime() - now.getTime(),
    ...(limits && { limits }),
    ...(secret === "previous" && { is_previous: true }),
  };
}

function lacksFactor(user: UserDocument, organization: OrganizationDocument): boolean {
  // A service account has nothing to add one to.
  return organization.require_second_factor === true && user.second_factor === undefined && user.kind !== "service";
}

function limitsOf({ allowed_ips, rate_limit_per_minute: per_minute }: KeyDocument): KeyLimits | undefined {
  return allowed_ips.length === 0 && per_minute === null ? undefined : { allowed_ips, per_minute };
}

/** Computes the rights of a collector: to import into its network, and to follow what it is told. */
export function verifyCollector({ number, hash, collector, organization }: FoundCollector, now: Date): Verification {
  if (collector === null || organization === null) return refused(number, "api_key_invalid", []);
  const { _id, network_id, is_enabled } = collector;
  const subjects = [_id, organization._id];
  const endsAt = endOfCollectorKey(collector, hash, maxLifetimeOf(organization));
  if (endsAt === null) return refused(number, "api_key_invalid", subjects);
  if (!is_enabled) return refused(number, "api_key_disabled", subjects);
  if (endsAt !== "never" && endsAt <= now) return refused(number, "api_key_expired", subjects);
  if (!organization.api_access_enabled) return refused(number, "api_access_disabled", subjects);
  return {
    status: "valid",
    number,
    principal: {
      kind: "key",
      credential_id: _id,
      organization_id: organization._id,
      user_id: _id,
      email: nameInLogs(collector),
      permission: "Member",
      networks: [network_id],
      is_limited: true,
      is_collecting: true,
      collector: planOf(collector),
    },
    expires_in_ms: endsAt === "never" ? null : endsAt.getTime() - now.getTime(),
    ...(collector.key?.hash !== hash && { is_previous: true }),
  };
}

/** Computes the rights of a session; it lasts as long as this use extends it. */
export function verifySession(found: FoundSession, now: Date): Verification {
  const { number, session, user, organization } = found;
  if (session === null || user === null || organization === null || session.expires_at <= now)
    return refused(number, "session_expired", []);
  const subjects = [session._id, user._id, organization._id];
  if (isDisabled(user)) return refused(number, "session_expired", subjects);
  if (organization.password_login === false && session.provider === undefined)
    return refused(number, "session_expired", subjects);
  if (lacksFactor(user, organization)) return refused(number, "second_factor_required", subjects);
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
      ...(user.second_factor !== undefined && {
        confirmed_until: confirmedUntil(session.confirmed_at)?.getTime() ?? 0,
      }),
    },
    expires_in_ms: expiresAt.getTime() - now.getTime(),
  };
}

/** Computes what a share shows: never more than its maker may see now. */
export function verifyShare({ number, share, user, organization, maker }: FoundShare, now: Date): ShareVerification {
  if (share === null || user === null || organization === null) return ended(number, []);
  const subjects = [share._id, user._id, organization._id, ...(share.key_id === null ? [] : [share.key_id])];
  const maxLifetime = maxLifetimeOf(organization);
  const endsAt = endOfShare(share, maxLifetime);
  const hasEnded =
    (endsAt !== null && endsAt <= now) ||
    !organization.api_access_enabled ||
    isDisabled(user) ||
    lacksFactor(user, organization) ||
    !maySharesBeOf(user) ||
    (share.key_id !== null && (maker === null || !isInForce(maker, maxLifetime, now)));
  if (hasEnded) return ended(number, subjects);
  return {
    status: "shared",
    number,
    share: {
      share_id: share._id,
      organization_id: organization._id,
      networks: [share.network_id],
      view_id: share.view_id,
      hide: share.hide,
      as_of: share.as_of?.toISOString() ?? null,
      subjects,
    },
    expires_in_ms: endsAt === null ? null : endsAt.getTime() - now.getTime(),
  };
}

function ended(number: number, subjects: string[]): ShareVerification {
  return { status: "refused", number, code: "share_ended", subjects };
}

/** Whether a key may still do what it was used for. */
function isInForce(key: KeyDocument, maxLifetime: number | null, now: Date): boolean {
  const endsAt = endOf(key, maxLifetime);
  return key.is_enabled && maySharesBeOf(key) && (endsAt === null || endsAt > now);
}

function refused(number: number, code: RefusalCode, subjects: string[]): Verification {
  return { status: "refused", number, code, subjects };
}
