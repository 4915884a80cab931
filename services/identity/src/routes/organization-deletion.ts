import type { ClientSession } from "mongodb";
import { deleteOrganization } from "@nts/shared/contract/organizations";
import { AppError, validationFailed } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { requireRevision } from "@nts/shared/revision";
import { afterCommit } from "@nts/shared/work";
import type { ChangeRights } from "../rights/change-rights.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { untilSaved } from "../storage/until-saved.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import type { UserStore } from "../storage/users.js";
import type { OrganizationDeletions } from "../storage/organization-deletions.js";
import type { OrganizationStore } from "../storage/organizations.js";

export interface OrganizationDeletionRoute {
  readonly organizations: Pick<OrganizationStore, "get" | "remove">;
  readonly users: Pick<UserStore, "find" | "countOwners">;
  readonly deletions: OrganizationDeletions;
  readonly topology: Pick<TopologyDirectory, "removeOrganization">;
  readonly confirmCaller: ConfirmCaller;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly cookies: SessionCookies;
}

/** The operation to delete an organization: it disappears at once, and its documents are purged later. */
export function mountOrganizationDeletion(router: Router, routes: OrganizationDeletionRoute): void {
  const { organizations, users, deletions, topology, confirmCaller, requireConfirmed, changeRights, cookies } = routes;

  mount(router, deleteOrganization, async (call) => {
    const { principal, scope, params, body, precondition, sessionHashes, work, log } = call;
    const { id } = params;
    if (id !== scope.organizationId) throw new AppError("not_found", { entity: "Organization" });
    await confirmCaller(call, body.password);
    await requireConfirmed(principal);
    await untilSaved(work, async () => {
      const current = await organizations.get(id);
      requireRevision(precondition, current.revision);
      if (body.name !== current.name)
        throw validationFailed({ path: "name", message: "must be the name of the organization" });
      return changeRights(work, [id], async (tx) => {
        await requireOnlyOwner(id, principal.userId, tx);
        if ((await organizations.remove(current, tx)) === "conflict") return "conflict";
        await deletions.insert(id, tx);
        return "deleted";
      });
    });
    await afterCommit(work, async () => {
      await topology.removeOrganization(id).catch((error: unknown) => {
        log.warn(
          { err: error, organization_id: id },
          "topology was not notified of a deleted organization; the next sweep notifies it",
        );
      });
    });
    return respond.data(null, { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } });
  });

  /** Decided in the transaction: changes of rights are serialized. */
  async function requireOnlyOwner(organizationId: string, userId: string, tx: ClientSession): Promise<void> {
    const caller = await users.find(organizationId, userId, tx);
    if (caller?.permissions !== "Owner") throw new AppError("permission_denied", { required: "Owner" });
    const owners = await users.countOwners(organizationId, tx);
    if (owners > 1) throw new AppError("other_owners", { owners: owners - 1 });
  }
}
