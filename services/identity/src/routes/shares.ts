import { createShareSecret } from "@nts/shared/api-key";
import { getShareFrame } from "@nts/shared/contract/internal";
import { shareView, deleteShare, listShares, MOST_SHARES } from "@nts/shared/contract/shares";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import { newId } from "@nts/shared/ids";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import { requireRevision } from "@nts/shared/revision";
import { respondWithList } from "../flows/respond-with-list.js";
import { maxLifetimeOf } from "../model/organization.js";
import { SHARE_REVISION, shareResponse, shareSettings, type ShareDocument } from "../model/share.rules.js";
import type { ChangeRights } from "../rights/change-rights.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { ShareStore } from "../storage/shares.js";
import { untilSaved } from "../storage/until-saved.js";
import type { TopologyDirectory } from "../topology/directory.js";

export interface ShareRoutes {
  readonly sharedViews: ShareStore;
  readonly organizations: Pick<OrganizationStore, "get" | "lockCounts">;
  readonly topology: Pick<TopologyDirectory, "viewsAmong" | "networksIn">;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
  readonly publicUrl: string;
}

/** Operations by which Admins share views, and end that. */
export function mountShares(router: Router, routes: ShareRoutes): void {
  const { sharedViews, organizations, topology, transaction, changeRights, publicUrl } = routes;

  mount(router, shareView, async ({ principal, scope, params, body, cause, work }) => {
    const { organizationId } = scope;
    const [view] = await topology.viewsAmong([params.id], organizationId, cause);
    if (view === undefined) throw new AppError("not_found", { entity: "View" });
    const now = new Date();
    const settings = shareSettings(view, body, now);
    if (!(await topology.networksIn(scope, cause)).includes(settings.network_id))
      throw new AppError("invalid_reference", { path: "network_id" });
    const secret = createShareSecret();
    const share: ShareDocument = {
      _id: newId(),
      hash: hashCredential(secret),
      created_at: now,
      organization_id: organizationId,
      user_id: principal.userId,
      key_id: principal.kind === "key" ? principal.credentialId : null,
      ...settings,
      last_used: null,
      uses: 0,
      noted_on: null,
    };
    await transaction(work, [`shares:${organizationId}`], async (tx) => {
      if (!(await organizations.lockCounts(organizationId, tx)))
        throw new AppError("not_found", { entity: "Organization" });
      const quota = { entity: "Share", limit: MOST_SHARES, unverified: UNVERIFIED_QUOTAS.shares };
      requireRoomFor(await sharedViews.count(organizationId, tx), quota, scope.isUnverified);
      await sharedViews.insert(share, tx);
    });
    // The secret stands where browsers keep it to themselves.
    const link = `${new URL(`/share/${share._id}`, publicUrl).href}#${secret}`;
    const maxDays = maxLifetimeOf(await organizations.get(organizationId));
    return respond.data({ share: shareResponse(share, maxDays), link, secret });
  });

  mount(router, listShares, async ({ scope, query, work }) => {
    const maxDays = maxLifetimeOf(await organizations.get(scope.organizationId));
    const list = sharedViews.list(scope.organizationId, query);
    return respondWithList(list, work, () => (share: ShareDocument) => shareResponse(share, maxDays));
  });

  mount(router, deleteShare, async ({ scope, params: { id }, precondition, work }) => {
    const { organizationId } = scope;
    await untilSaved(work, async () => {
      if ((await sharedViews.find(organizationId, id)) === null) throw new AppError("not_found", { entity: "Share" });
      requireRevision(precondition, SHARE_REVISION);
      return changeRights(work, [id], async (tx) => {
        const removed = await sharedViews.remove(organizationId, [id], tx);
        return removed.length === 0 ? "conflict" : removed;
      });
    });
    return respond.data(null);
  });

  mountAny(router, getShareFrame, async ({ params: { id } }) => respond.data([...(await sharedViews.originsOf(id))]));
}
