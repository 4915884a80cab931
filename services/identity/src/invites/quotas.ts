import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { OrganizationStore } from "../organizations/store.js";
import type { Quotas } from "../quotas.js";
import type { InviteStore } from "./store.js";

/**
 * Checks that one more invite fits the quota. Exact for concurrent creations; to be called first in the creating
 * transaction.
 *
 * @throws AppError `quota_exceeded` {entity, limit}
 */
export type RequireRoomForInvite = (organizationId: string, now: Date, tx: ClientSession) => Promise<void>;

export function createRequireRoomForInvite(
  organizations: Pick<OrganizationStore, "lockCounts">,
  invites: Pick<InviteStore, "countOpen">,
  { invitesPerOrganization: limit }: Quotas,
): RequireRoomForInvite {
  return async (organizationId, now, tx) => {
    if (!(await organizations.lockCounts(organizationId, tx)))
      throw new AppError("not_found", { entity: "Organization" });
    if ((await invites.countOpen(organizationId, now, tx)) >= limit)
      throw new AppError("quota_exceeded", { entity: "Invite", limit });
  };
}
