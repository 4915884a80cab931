import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import type { Scope } from "@nts/shared/http/tenancy";
import type { OrganizationStore } from "../storage/organizations.js";
import type { Quotas } from "../model/quotas.js";
import type { KeyOwner, KeyStore } from "../storage/api-keys.js";

/**
 * Checks that one more key of this user fits the quota. Exact for concurrent creations; to be called first in the
 * creating transaction.
 *
 * @throws AppError `quota_exceeded` · `owner_unverified` {entity, limit}
 */
export type RequireRoom = (owner: KeyOwner & Pick<Scope, "isUnverified">, tx: ClientSession) => Promise<void>;

export function createRequireRoom(
  organizations: Pick<OrganizationStore, "lockCounts">,
  keys: Pick<KeyStore, "count">,
  { keysPerUser, keysPerOrganization }: Quotas,
): RequireRoom {
  return async (owner, tx) => {
    if (!(await organizations.lockCounts(owner.organizationId, tx)))
      throw new AppError("not_found", { entity: "Organization" });
    const { ofUser, ofOrganization } = await keys.count(owner, tx);
    const of = { entity: "UserApiKey", unverified: UNVERIFIED_QUOTAS.keys };
    requireRoomFor(ofUser, { ...of, limit: keysPerUser }, owner.isUnverified);
    requireRoomFor(ofOrganization, { ...of, limit: keysPerOrganization }, owner.isUnverified);
  };
}
