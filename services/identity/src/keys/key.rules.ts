import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { isId } from "@nts/shared/contract/common";
import type { UserApiKeyInput } from "@nts/shared/contract/keys";
import { AppError, validationFailed } from "@nts/shared/errors";
import { changesTo } from "../revisions.rules.js";

// What a user may ask of a key. Somebody can never give a key more than they have themselves; but a record that is sent
// back as it was answered changes nothing, even when it could not be asked for any more.

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
}

/** The members of a key that its user decides. */
export type KeySettings = Pick<
  KeyDocument,
  "name" | "tags" | "expires_at" | "is_enabled" | "network_ids" | "permissions"
>;

/** The user who asks, with the rights that the user has now. */
export interface Grantor {
  readonly userId: string;
  readonly organizationId: string;
  readonly permission: Permission;
  /** Networks that the user may use and that exist. */
  readonly networkIds: readonly string[];
  /** Managed tags that exist, among those asked for. */
  readonly tagIds: readonly string[];
}

const RIGHTS: readonly (keyof KeySettings)[] = ["expires_at", "is_enabled", "network_ids", "permissions"];

/**
 * The settings of a new key.
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
    permissions: input.permissions ?? "Viewer",
  };
  requireGrantable(settings, grantor, now);
  requireTags(settings.tags, grantor.tagIds);
  return settings;
}

/**
 * What an update really changes, by the rules of creation for what it changes; empty when nothing.
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
    network_ids: isAnswered(current, input.network_ids, grantor) ? undefined : uniqueIds(input.network_ids),
    permissions: input.permissions,
  });
  requireGrantable(changes, grantor, now);
  requireTags(changes.tags ?? [], [...grantor.tagIds, ...current.tags]);
  return changes;
}

/** True when a change takes or gives rights, so that gateways must hear of it. */
export function touchesRights(changes: Partial<KeySettings>): boolean {
  return RIGHTS.some((name) => name in changes);
}

/** The networks that a key may use now. @param userNetworkIds those of its user */
export function networkIdsOf(key: Pick<KeySettings, "network_ids">, userNetworkIds: readonly string[]): string[] {
  const { network_ids } = key;
  return network_ids === null ? [...userNetworkIds] : userNetworkIds.filter((id) => network_ids.includes(id));
}

function requireOwn(input: UserApiKeyInput, grantor: Grantor): void {
  if (input.organization_id !== grantor.organizationId)
    throw new AppError("permission_denied", { path: "organization_id" });
  if (input.user_id !== grantor.userId) throw new AppError("permission_denied", { path: "user_id" });
}

function requireGrantable(settings: Partial<KeySettings>, grantor: Grantor, now: Date): void {
  const { permissions, expires_at, network_ids } = settings;
  if (permissions !== undefined && !isAtLeast(grantor.permission, permissions))
    throw new AppError("permission_denied", { required: permissions });
  if (expires_at && expires_at <= now) throw validationFailed({ path: "expires_at", message: "must be in the future" });
  requireAll(network_ids ?? [], "network_ids", (id) => grantor.networkIds.includes(id));
}

/** Free labels may be anything; a tag in the form of an id is meant to be a managed one. */
function requireTags(tags: readonly string[], known: readonly string[]): void {
  requireAll(tags, "tags", (tag) => !isId(tag) || known.includes(tag));
}

function requireAll(values: readonly string[], path: string, isGood: (value: string) => boolean): void {
  const wrong = values.findIndex((value) => !isGood(value));
  if (wrong !== -1) throw new AppError("invalid_reference", { path: `${path}.${wrong}` });
}

/** True for the same set of networks as the record is answered with. */
function isAnswered(current: KeySettings, ids: readonly string[] | null | undefined, grantor: Grantor): boolean {
  if (!ids) return false;
  const answered = networkIdsOf(current, grantor.networkIds);
  const asked = new Set(ids);
  return asked.size === answered.length && answered.every((id) => asked.has(id));
}

function uniqueIds(ids: readonly string[] | null | undefined): string[] | null | undefined {
  return ids && [...new Set(ids)];
}

function dateOf(moment: string | null | undefined): Date | null | undefined {
  return typeof moment === "string" ? new Date(moment) : moment;
}
