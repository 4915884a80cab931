import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { OrganizationStore } from "../organizations/store.js";
import type { Quotas } from "../quotas.js";
import type { KeyOwner, KeyStore } from "./store.js";

/**
 * Makes sure that there is room for one more key of this user. Exact also for keys that are made at the same time; to be
 * called in the transaction that makes the key, before it.
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
