import {
  bulkDeleteDependencies,
  createDependency,
  deleteDependency,
  type Dependency,
  getDependency,
  listDependencies,
  patchDependency,
  updateDependency,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import { commitNew } from "../commit/create.js";
import { commitRemoval } from "../commit/remove.js";
import { commitUpdate } from "../commit/update.js";
import { dependencyKind } from "../kinds/dependency.js";
import type { Past } from "../past/past.js";
import { HOST_DEPENDENCIES_INDEX, SERVICE_DEPENDENCIES_INDEX } from "../storage/indexes.js";
import { withSighting } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";

export function mountDependencies(router: Router, storage: Storage, past: Past): void {
  mountList(router, listDependencies, { entities: storage.dependencies, past }, plan());
  mount(router, createDependency, create(storage));
  mountGet(router, getDependency, { entities: storage.dependencies, past });
  mountUpdate(router, { put: updateDependency, patch: patchDependency }, update(storage));
  mountRemoval(router, { one: deleteDependency, several: bulkDeleteDependencies }, (removing) =>
    commitRemoval(storage, "Dependency", removing),
  );
}

function plan(): ListPlanOf<typeof listDependencies> {
  return ({ host_id, service_id, source, ...query }, scope) => {
    const { filter, selective } = sightingPlan(query);
    return {
      filter: {
        ...commonFilter(query, scope),
        ...filter,
        ...(host_id !== undefined && { host_id: { $in: [host_id] } }),
        ...(service_id !== undefined && { service_id }),
        ...(source !== undefined && { source }),
      },
      selective:
        service_id !== undefined
          ? SERVICE_DEPENDENCIES_INDEX
          : host_id !== undefined
            ? HOST_DEPENDENCIES_INDEX
            : selective,
    };
  };
}

function create(storage: Storage): UserHandler<typeof createDependency> {
  return async ({ work, scope, body }) => {
    const now = new Date().toISOString();
    const made = { id: newId(), created_at: now, updated_at: now, network_id: body.network_id };
    const dependency = dependencyKind.make(body, { ...made, source: "Manual" });
    await commitNew(storage, { work, scope }, { dependencies: { created: [dependency] } });
    return respond.data(dependency, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateDependency> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (dependency: Dependency): Dependency => {
      const body = requestedState(dependency);
      if (body.network_id !== undefined && body.network_id !== dependency.network_id)
        throw new AppError("network_mismatch", { path: "network_id" });
      return dependencyKind.apply(dependency, body);
    };
    const stored = await commitUpdate(storage, "Dependency", { work, scope, id, precondition }, decide);
    return respond.data(withSighting(stored), { revision: stored.revision });
  };
}
