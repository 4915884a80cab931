import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import type { OrganizationStore } from "../storage/organizations.js";
import type { Quotas } from "../model/quotas.js";
import type { InviteStore } from "../storage/invites.js";

/**
 * Checks that one more invite fits the quota. Exact for concurrent creations; to be called first in the creating
 * transaction.
 *
 * @throws AppError `quota_exceeded` · `owner_unverified` {entity, limit}
 */
export type RequireRoomForInvite = (
  scope: Pick<Scope, "organizationId" | "isUnverified">,
  now: Date,
  tx: ClientSession,
) => Promise<void>;

export function createRequireRoomForInvite(
  organizations: Pick<OrganizationStore, "lockCounts">,
  invites: Pick<InviteStore, "countOpen">,
  { invitesPerOrganization: limit }: Quotas,
): RequireRoomForInvite {
  return async ({ organizationId, isUnverified }, now, tx) => {
    if (!(await organizations.lockCounts(organizationId, tx)))
      throw new AppError("not_found", { entity: "Organization" });
    const count = await invites.countOpen(organizationId, now, tx);
    requireRoomFor(count, { entity: "Invite", limit, unverified: UNVERIFIED_QUOTAS.invites }, isUnverified);
  };
}
