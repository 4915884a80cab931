import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { KeyStore } from "../storage/api-keys.js";

/**
 * Rejects making an Owner or Admin with an expiring or restricted key, whose creation would outlive it. Sessions and
 * unrestricted Owner keys may.
 *
 * @throws AppError `permission_denied` {required: "session"}
 */
export type RequireUnlimitedKey = (principal: UserPrincipal, made: Permission) => Promise<void>;

export function createRequireUnlimitedKey(keys: Pick<KeyStore, "find">): RequireUnlimitedKey {
  return async ({ kind, credentialId, userId, permission, scope }, made) => {
    if (kind === "session" || !isAtLeast(made, "Admin")) return;
    const key = await keys.find({ organizationId: scope.organizationId, userId }, credentialId);
    const isLasting = key?.expires_at === null && key.network_ids === null && permission === "Owner";
    if (!isLasting) throw new AppError("permission_denied", { required: "session" });
  };
}
