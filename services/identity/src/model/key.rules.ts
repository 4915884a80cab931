import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { isId } from "@nts/shared/contract/common";
import type { KeyScope, UserApiKeyInput } from "@nts/shared/contract/keys";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Circumstances } from "./audit-entry.rules.js";
import { changesTo } from "./revisions.rules.js";
import { narrowed } from "./scopes.rules.js";

// What a user may set on a key: never more than the user's own rights. An unmodified record sent back is accepted, even
// if it could not be created any more.

export interface KeyDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  /** Of the whole secret. */
  hash: string;
  public_id: string;
  created_at: Date;
  updated_at: Date;
  revision: number;
  last_used: Date | null;
  organization_id: string;
  user_id: string;
  name: string;
  tags: string[];
  expires_at: Date | null;
  is_enabled: boolean;
  /** null follows the user. */
  network_ids: string[] | null;
  permissions: Permission;
  /** Absent: full. */
  scope?: KeyScope;
  /** Address blocks; empty for all. */
  allowed_ips: string[];
  rate_limit_per_minute: number | null;
  /** Creation time of the current secret; absent if it is that of the key. */
  issued_at?: Date;
  /** The secret before the last rotation, valid until `expires_at`; null if there is none. */
  previous: PreviousSecret | null;
  /** Set for a key of {@link NOBODY}. */
  removal?: KeyRemoval;
  /** Of an assistant that was let in, whose access token the key is; absent for keys that people made. */
  grant?: Grant;
}

/** The access of an assistant. Of its tokens only hashes are stored. */
export interface Grant {
  readonly client_id: string;
  readonly client_name: string;
  /** When the current access token ends. */
  readonly token_ends_at: Date;
  /** Of the part that all of its refresh tokens have in common. */
  readonly family: string;
  /** Of the current refresh token. */
  readonly refresh: string;
  /** When that ends, and with it the access. */
  readonly ends_at: Date;
}

/** User and organization of removed keys whose documents still exist. */
export const NOBODY = "removed";

/** Whose key it was, and how it was removed. */
export interface KeyRemoval extends Circumstances {
  readonly user_id: string;
  readonly organization_id: string;
}

export interface PreviousSecret {
  readonly hash: string;
  readonly issued_at: Date;
  /** When it was rotated out. */
  readonly since: Date;
  readonly expires_at: Date;
  readonly last_used: Date | null;
}

/** A filter for the key with a secret, current or previous. */
export function withSecret(hashes: readonly string[]): {
  $or: [{ hash: { $in: string[] } }, { "previous.hash": { $in: string[] } }];
} {
  const known = { $in: [...hashes] };
  return { $or: [{ hash: known }, { "previous.hash": known }] };
}

/** Which secret of a key it is; null if expired. */
export function secretOf(key: KeyDocument, hash: string, now: Date): "current" | "previous" | null {
  if (key.hash === hash) return "current";
  const { previous } = key;
  return previous?.hash === hash && previous.expires_at > now ? "previous" : null;
}

/** The changes of a rotation. @param graceSeconds how long the current secret remains valid */
export function rotated(
  key: KeyDocument,
  next: { hash: string; publicId: string },
  graceSeconds: number,
  now: Date,
): Pick<KeyDocument, "hash" | "public_id" | "issued_at" | "previous"> {
  const expires_at = new Date(now.getTime() + graceSeconds * 1_000);
  const issued_at = key.issued_at ?? key.created_at;
  const previous = { hash: key.hash, issued_at, since: now, expires_at, last_used: null };
  return {
    hash: next.hash,
    public_id: next.publicId,
    issued_at: now,
    previous: graceSeconds === 0 ? null : previous,
  };
}

/** The members that users set. */
export type KeySettings = Pick<
  KeyDocument,
  | "name"
  | "tags"
  | "expires_at"
  | "is_enabled"
  | "network_ids"
  | "permissions"
  | "scope"
  | "allowed_ips"
  | "rate_limit_per_minute"
>;

/** The caller with its current rights. */
export interface Grantor {
  readonly userId: string;
  readonly organizationId: string;
  readonly permission: Permission;
  /** Existing networks accessible to the user. */
  readonly networkIds: readonly string[];
  /** Existing managed tags among those requested. */
  readonly tagIds: readonly string[];
  /** The organization's maximum lifetime of secrets in days; null for none. */
  readonly maxLifetimeDays: number | null;
}

const RIGHTS: readonly (keyof KeySettings)[] = [
  ...(["expires_at", "is_enabled", "network_ids", "permissions", "scope"] as const),
  ...(["allowed_ips", "rate_limit_per_minute"] as const),
];

/**
 * Validates the input of a new key.
 *
 * @throws AppError `permission_denied` · `invalid_reference` · `validation_failed`
 * @see docs/api.md "Authentication"
 */
export function newKeySettings(input: UserApiKeyInput, grantor: Grantor, now: Date): KeySettings {
  requireOwn(input, grantor);
  const settings: KeySettings = {
    name: input.name,
    tags: input.tags,
    expires_at: dateOf(input.expires_at) ?? null,
    is_enabled: input.is_enabled ?? true,
    network_ids: uniqueIds(input.network_ids) ?? null,
    // A Viewer imports nothing.
    permissions: input.permissions ?? (input.scope === "collect" ? "Member" : "Viewer"),
    scope: input.scope ?? "full",
    allowed_ips: input.allowed_ips ?? [],
    rate_limit_per_minute: input.rate_limit_per_minute ?? null,
  };
  requireGrantable(settings, grantor, now);
  requireTags(settings.tags, grantor.tagIds);
  return settings;
}

/**
 * The actual changes of an update, validated like a creation; empty if there are none.
 *
 * @throws AppError `permission_denied` · `invalid_reference` · `validation_failed`
 * @see docs/api.md "Authentication"
 */
export function keyChanges(
  current: KeySettings,
  input: UserApiKeyInput,
  grantor: Grantor,
  now: Date,
): Partial<KeySettings> {
  requireOwn(input, grantor);
  const changes = changesTo<KeySettings>(current, {
    name: input.name,
    tags: input.tags,
    expires_at: dateOf(input.expires_at),
    is_enabled: input.is_enabled,
    network_ids: isVisibleSet(current, input.network_ids, grantor) ? undefined : uniqueIds(input.network_ids),
    permissions: input.permissions,
    scope: input.scope === (current.scope ?? "full") ? undefined : input.scope,
    allowed_ips: input.allowed_ips,
    rate_limit_per_minute: input.rate_limit_per_minute,
  });
  requireGrantable(changes, grantor, now);
  requireTags(changes.tags ?? [], [...grantor.tagIds, ...current.tags]);
  return changes;
}

/** True for a change of rights, which gateways must apply. */
export function touchesRights(changes: Partial<KeySettings>): boolean {
  return RIGHTS.some((name) => name in changes);
}

/** The networks a key may use now. @param userNetworkIds those of its user */
export function networkIdsOf(key: Pick<KeySettings, "network_ids">, userNetworkIds: readonly string[]): string[] {
  return narrowed(key.network_ids ?? "all", userNetworkIds);
}

function requireOwn(input: UserApiKeyInput, grantor: Grantor): void {
  if (input.organization_id !== grantor.organizationId)
    throw new AppError("permission_denied", { required: "own_organization" });
  if (input.user_id !== grantor.userId) throw new AppError("permission_denied", { required: "own_user" });
}

function requireGrantable(settings: Partial<KeySettings>, grantor: Grantor, now: Date): void {
  const { permissions, expires_at, network_ids } = settings;
  if (permissions !== undefined && !isAtLeast(grantor.permission, permissions))
    throw new AppError("permission_denied", { required: permissions });
  if (expires_at && expires_at <= now) throw validationFailed({ path: "expires_at", message: "must be in the future" });
  const grantable = new Set(grantor.networkIds);
  requireAll(network_ids ?? [], "network_ids", (id) => grantable.has(id));
}

/** Free labels may be anything; a label that looks like an id is meant as a managed tag. */
function requireTags(tags: readonly string[], known: readonly string[]): void {
  requireAll(tags, "tags", (tag) => !isId(tag) || known.includes(tag));
}

function requireAll(values: readonly string[], path: string, isGood: (value: string) => boolean): void {
  const wrong = values.findIndex((value) => !isGood(value));
  if (wrong !== -1) throw new AppError("invalid_reference", { path: `${path}.${wrong}` });
}

/** True for the same set of networks as the record shows. */
function isVisibleSet(current: KeySettings, ids: readonly string[] | null | undefined, grantor: Grantor): boolean {
  if (!ids) return false;
  const visible = networkIdsOf(current, grantor.networkIds);
  const requested = new Set(ids);
  return requested.size === visible.length && visible.every((id) => requested.has(id));
}

function uniqueIds(ids: readonly string[] | null | undefined): string[] | null | undefined {
  return ids && [...new Set(ids)];
}

function dateOf(moment: string | null | undefined): Date | null | undefined {
  return typeof moment === "string" ? new Date(moment) : moment;
}
