import { isAtLeast } from "@nts/shared/contract/endpoint";
import type { UserUpdate } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { changesTo } from "./revisions.rules.js";
import { narrowed } from "./scopes.rules.js";
import type { UserDocument } from "./user.js";

/** The members of a user that others set. */
export type UserRights = Pick<UserDocument, "permissions" | "network_ids">;

/**
 * The actual changes of an update; empty if there are none. From Admin upwards no networks are granted, as all are
 * accessible; a demotion names the networks.
 *
 * @param networkIds existing networks of the organization
 * @throws AppError `invalid_reference`
 */
export function userChanges(
  current: UserRights,
  input: UserUpdate,
  networkIds: readonly string[],
): Partial<UserRights> {
  const { permissions } = input;
  const requested = grantable(input.network_ids ?? [], networkIds);
  const keeps = input.network_ids === undefined || isVisibleSet(current, requested, networkIds);
  const granted = keeps ? current.network_ids : requested;
  return changesTo<UserRights>(current, {
    permissions,
    network_ids: isAtLeast(permissions, "Admin") ? [] : granted,
  });
}

/**
 * The networks to grant, without duplicates.
 *
 * @throws AppError `invalid_reference` for the first that does not exist
 */
export function grantable(requested: readonly string[], networkIds: readonly string[]): string[] {
  const existing = new Set(networkIds);
  const wrong = requested.findIndex((id) => !existing.has(id));
  if (wrong !== -1) throw new AppError("invalid_reference", { path: `network_ids.${wrong}` });
  return [...new Set(requested)];
}

/** True for the networks that a user below Admin is shown with, in any order: sent back, they change nothing. */
function isVisibleSet(current: UserRights, requested: readonly string[], networkIds: readonly string[]): boolean {
  if (isAtLeast(current.permissions, "Admin")) return false;
  const visible = narrowed(current.network_ids, networkIds);
  const named = new Set(requested);
  return named.size === visible.length && visible.every((id) => named.has(id));
}
