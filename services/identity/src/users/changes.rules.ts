import { isAtLeast } from "@nts/shared/contract/endpoint";
import type { UserUpdate } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { changesTo } from "../revisions.rules.js";
import type { UserDocument } from "./user.js";

/** The members of a user that others decide. */
export type UserRights = Pick<UserDocument, "permissions" | "network_ids">;

/**
 * What an update of a user really changes; empty when nothing. From Admin upwards no networks are granted, because all
 * of them can be used: whoever is demoted later has those that the demotion names.
 *
 * @param networkIds those of the organization that exist
 * @throws AppError `invalid_reference`
 */
export function userChanges(
  current: UserRights,
  input: UserUpdate,
  networkIds: readonly string[],
): Partial<UserRights> {
  const { permissions } = input;
  const asked = grantable(input.network_ids ?? [], networkIds);
  const keeps = input.network_ids === undefined || isAnswered(current, asked, networkIds);
  const granted = keeps ? current.network_ids : asked;
  return changesTo<UserRights>(current, {
    permissions,
    network_ids: isAtLeast(permissions, "Admin") ? [] : granted,
  });
}

/**
 * The networks to grant, each of them once.
 *
 * @throws AppError `invalid_reference` at the first that does not exist
 */
export function grantable(asked: readonly string[], networkIds: readonly string[]): string[] {
  const wrong = asked.findIndex((id) => !networkIds.includes(id));
  if (wrong !== -1) throw new AppError("invalid_reference", { path: `network_ids.${wrong}` });
  return [...new Set(asked)];
}

/** True for the networks, in any order, with which somebody below Admin is answered: sent back, they change nothing. */
function isAnswered(current: UserRights, asked: readonly string[], networkIds: readonly string[]): boolean {
  if (isAtLeast(current.permissions, "Admin")) return false;
  const answered = current.network_ids.filter((id) => networkIds.includes(id));
  return asked.length === answered.length && answered.every((id) => asked.includes(id));
}
