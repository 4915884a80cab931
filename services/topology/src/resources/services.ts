import {
  bulkDeleteServices,
  createService,
  deleteService,
  getService,
  listServices,
  patchService,
  updateService,
} from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { NEVER_SEEN } from "@nts/shared/contract/sightings";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { CATEGORY_INDEX, HOST_ORDER_INDEX } from "../storage/indexes.js";
import { commitNewOnHost } from "../commit/create.js";
import { createJointUpdates } from "../commit/joint-updates.js";
import { commitRemovalFromHosts } from "../commit/remove.js";
import { reportRemovedBindings } from "../commit/removed-bindings.js";
import { updateStoredService } from "../commit/update-service.js";
import { newId } from "@nts/shared/ids";
import { withSighting } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { bindingsOf, resolveBindings } from "../hosts/bindings.rules.js";
import { serviceKind } from "../kinds/service.js";
import { serviceAt } from "../values/ends.rules.js";
import { noteImpact } from "./impact.js";

export function mountServices(router: Router, storage: Storage, past: Past): void {
  const { services: entities, sockets } = storage;
  mountList(router, listServices, { entities, past, atSocket: sockets.servicesAt }, plan(storage));
  mount(router, createService, create(storage));
  mountGet(router, getService, { entities: storage.services, past });
  mountUpdate(router, { put: updateService, patch: patchService }, update(storage));
  mountRemoval(router, { one: deleteService, several: bulkDeleteServices }, async (removing) => {
    await noteImpact(storage, removing, serviceAt);
    await commitRemovalFromHosts(storage, "Service", removing);
  });
}

function plan({ totals }: Storage): ListPlanOf<typeof listServices> {
  return (query, scope) => {
    const { host_id, exclude_categories } = query;
    const sighting = sightingPlan(query);
    const filter = {
      ...commonFilter(query, scope),
      ...sighting.filter,
      ...(host_id !== undefined && { host_id }),
      ...(exclude_categories.length > 0 && { category: { $nin: exclude_categories } }),
    };
    return {
      filter,
      keyOf: { natural_name: "name_key", host: "host_name" },
      selective: host_id === undefined ? sighting.selective : HOST_ORDER_INDEX,
      total: () => totals.total(scope, "services"),
      countedBy: Object.keys(filter).join() === "category" ? CATEGORY_INDEX : undefined,
    };
  };
}

function create(storage: Storage): UserHandler<typeof createService> {
  return async ({ work, scope, body }) => {
    const { host_id: hostId, network_id: networkId } = body;
    const now = new Date().toISOString();
    const id = newId();
    const child = { work, scope, kind: "Service", id, hostId, networkId, position: body.position } as const;
    const created = await commitNewOnHost(storage, child, ({ tx, host, position }) => {
      const judge = bindingJudge(host.inventory);
      reportRemovedBindings(tx, body.bindings, judge);
      const bindings = resolveBindings(body.bindings, judge);
      return serviceKind.make(body, {
        id,
        created_at: now,
        updated_at: now,
        bindings: bindingsOf(bindings, [], { serviceId: id, networkId, now, newId }),
        host_id: hostId,
        network_id: networkId,
        position,
        source: { type: "Manual" },
      });
    });
    return respond.data({ ...created, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateService> {
  const jointly = createJointUpdates(storage);
  return async ({ work, scope, params: { id }, patch, requestedState, precondition }) => {
    const request = { work, scope, id, to: patch.host_id, requested: requestedState, precondition };
    const updated = await updateStoredService(storage, request, jointly);
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}
