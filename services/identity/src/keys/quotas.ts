import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { OrganizationStore } from "../organizations/store.js";
import type { Quotas } from "../quotas.js";
import type { KeyOwner, KeyStore } from "./store.js";

/**
 * Checks that one more key of this user fits the quota. Exact for concurrent creations; to be called first in the
 * creating transaction.
 *
 * @throws AppError `quota_exceeded` {entity, limit}
 */
export type RequireRoom = (owner: KeyOwner, tx: ClientSession) => Promise<void>;

export function createRequireRoom(
  organizations: Pick<OrganizationStore, "lockCounts">,
  keys: Pick<KeyStore, "count">,
  { keysPerUser, keysPerOrganization }: Quotas,
): RequireRoom {
  return async (owner, tx) => {
    if (!(await organizations.lockCounts(owner.organizationId, tx)))
      throw new AppError("not_found", { entity: "Organization" });
    const { ofUser, ofOrganization } = await keys.count(owner, tx);
    if (ofUser >= keysPerUser) throw new AppError("quota_exceeded", { entity: "UserApiKey", limit: keysPerUser });
    if (ofOrganization >= keysPerOrganization)
      throw new AppError("quota_exceeded", { entity: "UserApiKey", limit: keysPerOrganization });
  };
}
