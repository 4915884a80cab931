import {
  bulkDeleteViews,
  createView,
  deleteView,
  getView,
  listViews,
  patchView,
  updateView,
  type View,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { requireAllNetworks } from "@nts/shared/http/authorize";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { afterCommit } from "@nts/shared/work";
import { commitNew } from "../commit/create.js";
import { commitRemoval } from "../commit/remove.js";
import { commitUpdate } from "../commit/update.js";
import type { Notices } from "../deletions/notices.js";
import { viewKind } from "../kinds/view.js";
import type { Past } from "../past/past.js";
import { commonFilter } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";

export function mountViews(router: Router, storage: Storage, past: Past, notices: Notices): void {
  mountList(router, listViews, { entities: storage.views, past }, plan());
  mount(router, createView, create(storage));
  mountGet(router, getView, { entities: storage.views, past });
  mountUpdate(router, { put: updateView, patch: patchView }, update(storage));
  mountRemoval(router, { one: deleteView, several: bulkDeleteViews }, async (removing, principal) => {
    await commitRemoval(storage, "View", removing, (_tx, found) => {
      for (const view of found) requireMayWrite(principal, view);
      return Promise.resolve();
    });
    const { work, scope, ids } = removing;
    await afterCommit(work, () => {
      for (const id of ids) notices.viewDeleted(scope.organizationId, id);
      return Promise.resolve();
    });
  });
}

function plan(): ListPlanOf<typeof listViews> {
  return (query, scope) => ({ filter: commonFilter(query, scope) });
}

/** @throws AppError `permission_denied` */
export function requireMayWrite(principal: UserPrincipal, { network_id }: Pick<View, "network_id">): void {
  if (network_id === null) requireAllNetworks(principal);
}

function create(storage: Storage): UserHandler<typeof createView> {
  return async ({ work, scope, principal, body }) => {
    requireMayWrite(principal, body);
    const now = new Date().toISOString();
    const { network_id } = body;
    const view = viewKind.make(body, { id: newId(), created_at: now, updated_at: now, network_id });
    await commitNew(storage, { work, scope }, { views: { created: [view] } });
    return respond.data(view, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateView> {
  return async ({ work, scope, principal, params: { id }, requestedState, precondition }) => {
    const decide = (view: View): View => {
      requireMayWrite(principal, view);
      const body = requestedState(view);
      if (body.network_id !== undefined && body.network_id !== view.network_id)
        throw new AppError("network_mismatch", { path: "network_id" });
      return viewKind.apply(view, body);
    };
    const { entity, revision } = await commitUpdate(storage, "View", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}
