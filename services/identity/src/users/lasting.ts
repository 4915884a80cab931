import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { KeyStore } from "../keys/store.js";

/**
 * Refuses to make an Owner or Admin on behalf of a key with an end or a restriction: what it makes would outlive it. A
 * session may, and so may a key of an Owner without either.
 *
 * @throws AppError `permission_denied` {required: "session"}
 */
export type RequireLasting = (principal: UserPrincipal, made: Permission) => Promise<void>;

export function createRequireLasting(keys: Pick<KeyStore, "find">): RequireLasting {
  return async ({ kind, credentialId, userId, permission, scope }, made) => {
    if (kind === "session" || !isAtLeast(made, "Admin")) return;
    const key = await keys.find({ organizationId: scope.organizationId, userId }, credentialId);
    const isLasting = key?.expires_at === null && key.network_ids === null && permission === "Owner";
    if (!isLasting) throw new AppError("permission_denied", { required: "session" });
  };
}
