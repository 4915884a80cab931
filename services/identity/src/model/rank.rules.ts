import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";

// Who manages users: Owners everyone, Admins those who are, and will be, below Admin.

/** True if level `own` manages users who have, or will have, the other level. */
export function ranksOver(own: Permission, level: Permission): boolean {
  return own === "Owner" || (own === "Admin" && !isAtLeast(level, "Admin"));
}

/** @throws AppError `permission_denied` if the caller does not manage users of one of these levels */
export function requireRank({ permission }: Pick<UserPrincipal, "permission">, ...levels: Permission[]): void {
  if (!levels.every((level) => ranksOver(permission, level)))
    throw new AppError("permission_denied", { required: "Owner" });
}
