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
import { HOST_ORDER_INDEX, SERVICE_TRAILING } from "../storage/indexes.js";
import { countsOf, lockHostFor, removeFromHosts, transactionOnHosts } from "../hosts/on-host.js";
import { newId } from "@nts/shared/ids";
import { placeNew } from "../hosts/positions.rules.js";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import { withSighting } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import type { Removed } from "../deletions/removed.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { applyShift, closeGaps } from "../hosts/shifts.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { bindingsOf, resolveBindings } from "../hosts/bindings.rules.js";
import { createJointUpdates } from "../hosts/joint-updates.js";
import { updateStoredService } from "../hosts/update-service.js";
import { reportRemovedBindings } from "../hosts/removed-bindings.js";
import { insertServices } from "../hosts/write-services.js";
import { serviceKind } from "../kinds/service.js";

export function mountServices(router: Router, storage: Storage, past: Past): void {
  const { services: entities, sockets } = storage;
  mountList(router, listServices, { entities, past, atSocket: sockets.servicesAt }, plan(storage));
  mount(router, createService, create(storage));
  mountGet(router, getService, { entities: storage.services, past });
  mountUpdate(router, { put: updateService, patch: patchService }, update(storage));
  mountRemoval(router, { one: deleteService, several: bulkDeleteServices }, (removed) => remove(storage, removed));
}

function plan({ totals }: Storage): ListPlanOf<typeof listServices> {
  return (query, scope) => {
    const { host_id, exclude_categories } = query;
    const sighting = sightingPlan(query);
    return {
      filter: {
        ...commonFilter(query, scope),
        ...sighting.filter,
        ...(host_id !== undefined && { host_id }),
        ...(exclude_categories.length > 0 && { category: { $nin: exclude_categories } }),
      },
      keyOf: { host: "host_name" },
      trailing: SERVICE_TRAILING,
      selective: host_id === undefined ? sighting.selective : HOST_ORDER_INDEX,
      total: () => totals.total(scope, "services"),
    };
  };
}

function create(storage: Storage): UserHandler<typeof createService> {
  const { guards, services } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope);
    const { host_id: hostId, network_id: networkId } = body;
    const now = new Date();
    const id = newId();
    const created = await transactionOnHosts(storage, { work, scope, hostIds: [hostId] }, async (tx) => {
      const host = await lockHostFor(storage, tx, scope, { hostId, networkId, change: { services: 1 } });
      const { position, shift } = placeNew(body.position, host.inventory.services - 1);
      const at = now.toISOString();
      const judge = bindingJudge(host.inventory);
      reportRemovedBindings(tx, body.bindings, judge);
      const resolved = resolveBindings(body.bindings, judge);
      const service = serviceKind.make(body, {
        id,
        created_at: at,
        updated_at: at,
        bindings: bindingsOf(resolved, [], { serviceId: id, networkId, now: at, newId }),
        host_id: hostId,
        network_id: networkId,
        position,
        source: { type: "Manual" },
      });
      const counts = { services: 1, bindings: service.bindings.length };
      await requireReferences(guards, tx, scope, [networkClaim(networkId, counts), ...tagClaims(service.tags)]);
      await insertServices(storage, tx, scope, { hostName: host.name, inserted: [service] });
      await applyShift(tx, scope, services, { hostId, shift, except: id, now });
      return service;
    });
    return respond.data({ ...created, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateService> {
  const jointly = createJointUpdates(storage);
  return async ({ work, scope, params: { id }, said, asked, precondition }) => {
    const request = { work, scope, id, to: said.host_id, requested: asked, precondition };
    const updated = await updateStoredService(storage, request, jointly);
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}

async function remove(storage: Storage, { work, scope, ids, precondition }: Removed): Promise<void> {
  const { services, bindings } = storage;
  await removeFromHosts(storage, services, {
    work,
    scope,
    ids,
    precondition,
    change: (mine) => ({ services: -mine.length }),
    also: async ({ tx, removed, now }) => {
      const gone = removed.map(({ entity }) => entity);
      if (gone.some((service) => service.bindings.length > 0))
        await bindings.remove(tx, scope, { service_id: { $in: gone.map(({ id }) => id) } });
      await closeGaps(tx, scope, services, { gone, now });
      return countsOf(gone, (service) => ({ services: -1, bindings: -service.bindings.length }));
    },
  });
}
