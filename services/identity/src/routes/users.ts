import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  patchUser,
  resetUserSecondFactor,
  updateUser,
} from "@nts/shared/contract/users";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import { AppError, validationFailed } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { mountUpdate } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import { requireRevision } from "@nts/shared/revision";
import type { ChangeRights } from "../rights/change-rights.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { isGuarded, newServiceAccount, userResponse, type UserDocument } from "../model/user.js";
import type { ResetSecondFactor } from "../flows/second-factor/reset.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { respondWithList, respondWithNone } from "../flows/respond-with-list.js";
import { untilSaved } from "../storage/until-saved.js";
import type { ListedUser } from "../storage/user-lists.js";
import { grantable, userChanges } from "../model/user-changes.rules.js";
import type { RequireUnlimitedKey } from "../rights/unlimited-key.js";
import { isOfSeveral } from "../model/memberships.rules.js";
import { requireRank } from "../model/rank.rules.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";
import type { ApplyRights } from "../rights/apply-rights.js";
import type { RemoveUser } from "../flows/leaving/remove-user.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { newToken } from "../secrets/tokens.js";
import type { UserStore } from "../storage/users.js";

export interface UserRoutes {
  readonly users: UserStore;
  readonly organizations: Pick<OrganizationStore, "lockCounts">;
  readonly transaction: RunTransaction;
  readonly applyRights: ApplyRights;
  readonly removeUser: RemoveUser;
  readonly resetSecondFactor: ResetSecondFactor;
  readonly topology: TopologyDirectory;
  readonly requireUnlimitedKey: RequireUnlimitedKey;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly webhooks: Pick<WebhookPausing, "pause" | "pauseAndList" | "list">;
}

export function mountUsers(router: Router, routes: UserRoutes): void {
  const { users, applyRights, removeUser, topology, requireUnlimitedKey, requireConfirmed, changeRights } = routes;
  mountUserReads(router, routes);
  mountSecondFactorReset(router, routes);

  mountCreation(router, routes);

  const updates = { put: updateUser, patch: patchUser };
  mountUpdate(
    router,
    updates,
    async ({ principal, scope, params: { id }, requestedState, precondition, work, cause }) => {
      const networkIds = await topology.networksIn(scope, cause);
      const saved = await untilSaved(work, async () => {
        const current = await users.get(scope.organizationId, id);
        const body = requestedState(userResponse(current, networkIds));
        requireRank(principal, current.permissions, body.permissions);
        if (current.kind === "service" && body.permissions === "Owner")
          throw validationFailed({ path: "permissions", message: "must not be Owner for a service account" });
        requireRevision(precondition, current.revision);
        const changes = userChanges(current, body, networkIds);
        if (Object.keys(changes).length === 0) return current;
        if (changes.permissions !== undefined) await requireUnlimitedKey(principal, changes.permissions);
        if (changes.permissions !== undefined && isAtLeast(changes.permissions, "Admin"))
          await requireConfirmed(principal);
        return changeRights(work, [id], (tx) => applyRights(current, changes, tx));
      });
      if (!isAtLeast(saved.permissions, "Admin"))
        await routes.webhooks.pause(work, { organization_id: scope.organizationId, user_id: id });
      return respondWithUser(saved, networkIds);
    },
  );

  mount(router, deleteUser, async ({ principal, scope, params: { id }, query, precondition, work }) => {
    const keeping = { webhooks: query.keep_webhooks };
    await untilSaved(work, async () => {
      const current = await users.get(scope.organizationId, id);
      requireRank(principal, current.permissions);
      requireRevision(precondition, current.revision);
      return changeRights(work, [id], (tx) => removeUser(current, tx, keeping));
    });
    const maker = { organization_id: scope.organizationId, user_id: id };
    const { list, pauseAndList } = routes.webhooks;
    return respond.data(await (keeping.webhooks ? list({ ...maker, key_id: null }) : pauseAndList(work, maker)));
  });
}

/** Service accounts of an organization. */
const MOST_SERVICE_ACCOUNTS = 100;

function mountCreation(router: Router, routes: UserRoutes): void {
  const { users, organizations, topology, requireUnlimitedKey, requireConfirmed, transaction } = routes;
  mount(router, createUser, async ({ principal, scope, body, cause, work }) => {
    const { name, permissions, network_ids } = body;
    const { organizationId } = scope;
    requireRank(principal, permissions);
    await requireUnlimitedKey(principal, permissions);
    if (isAtLeast(permissions, "Admin")) await requireConfirmed(principal);
    const known = await topology.networksIn(scope, cause);
    const granted = grantable(network_ids, known);
    const networkIds = isAtLeast(permissions, "Admin") ? [] : granted;
    const user = newServiceAccount({
      ...{ id: newId(), name, passwordHash: `none ${newToken()}`, organizationId },
      ...{ permissions, networkIds, now: new Date() },
    });
    await transaction(work, [`users:${organizationId}`], async (tx) => {
      if (!(await organizations.lockCounts(organizationId, tx)))
        throw new AppError("not_found", { entity: "Organization" });
      const count = await users.countServiceAccounts(organizationId, tx);
      const quota = { entity: "User", limit: MOST_SERVICE_ACCOUNTS, unverified: UNVERIFIED_QUOTAS.serviceAccounts };
      requireRoomFor(count, quota, scope.isUnverified);
      await users.insert(user, tx);
    });
    return respondWithUser(user, known);
  });
}

type Resetting = Pick<UserRoutes, "users" | "requireConfirmed" | "resetSecondFactor">;

function mountSecondFactorReset(router: Router, { users, requireConfirmed, resetSecondFactor }: Resetting): void {
  mount(router, resetUserSecondFactor, async ({ principal, scope, params: { id }, work }) => {
    const user = await users.get(scope.organizationId, id);
    if (!isGuarded(user)) throw new AppError("not_found", { entity: "SecondFactor" });
    await requireConfirmed(principal);
    // It also protects the account in other organizations, which this one must not decide about.
    if (isOfSeveral(user)) throw new AppError("permission_denied", { required: "operator" });
    if (!(await resetSecondFactor(work, user))) throw new AppError("write_conflict");
    return respond.data(null);
  });
}

function mountUserReads(router: Router, { users, topology }: Pick<UserRoutes, "users" | "topology">): void {
  mount(router, listUsers, async ({ scope, query, cause, work }) => {
    const known = await topology.networksIn(scope, cause);
    const { network_id } = query;
    if (network_id !== undefined && !known.includes(network_id)) return respondWithNone(query);
    const list = users.list(scope.organizationId, query);
    const converter = () => (user: ListedUser) => userResponse(user, known);
    return respondWithList(list, work, converter);
  });

  mount(router, getUser, async ({ scope, params: { id }, cause }) => {
    const known = await topology.networksIn(scope, cause);
    return respondWithUser(await users.get(scope.organizationId, id), known);
  });
}

function respondWithUser(user: UserDocument, visibleIds: readonly string[]) {
  return respond.data(userResponse(user, visibleIds), { revision: user.revision, volatile: true });
}
