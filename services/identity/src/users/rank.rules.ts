import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";

// Who decides about people: Owners about everybody, Admins about those who are, and are to be, below Admin.

/** True when somebody of level `own` decides about people who have, or are to have, the other level. */
export function ranksOver(own: Permission, level: Permission): boolean {
  return own === "Owner" || (own === "Admin" && !isAtLeast(level, "Admin"));
}

/** @throws AppError `permission_denied` when the caller does not decide about people of one of these levels */
export function requireRank({ permission }: Pick<UserPrincipal, "permission">, ...levels: Permission[]): void {
  if (!levels.every((level) => ranksOver(permission, level)))
    throw new AppError("permission_denied", { required: "Owner" });
}
