import {
  createService,
  deleteService,
  getService,
  listServices,
  updateService,
  type Service,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { Discard } from "@nts/shared/mongo/transaction";
import { lockHostFor, onHostOf } from "../hosts/on-host.js";
import { newId } from "../ids.js";
import { closeGap, placeExisting, placeNew } from "../positions.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { requireRevision, revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import { applyShift } from "../storage/shifts.js";
import type { Storage } from "../storage/storage.js";
import { checkTags } from "../tags.js";
import { bindingsOf, resolveBindings } from "./bindings.js";

export function mountServices(router: Router, storage: Storage): void {
  const { guards, services, transaction } = storage;

  mount(router, listServices, async ({ scope: whole, query }) => {
    const scope = narrowedTo(whole, query.network_id);
    const { host_id, exclude_categories } = query;
    return answerList(services, query, {
      scope,
      filter: {
        ...commonFilter(query),
        ...(host_id !== undefined && { host_id }),
        ...(exclude_categories.length > 0 && { category: { $nin: exclude_categories } }),
      },
      keyOf: { host: "host_name" },
      total: () => guards.total(scope, "services"),
    });
  });

  mount(router, createService, async ({ scope, body }) => {
    checkTags(body.tags);
    const { host_id: hostId, network_id: networkId } = body;
    const now = new Date();
    const id = newId();
    const created = await transaction([hostId], async (session) => {
      const host = await lockHostFor(storage, session, scope, { hostId, networkId, change: { services: 1 } });
      const { position, shift } = placeNew(body.position, host.inventory.services - 1);
      const at = now.toISOString();
      const resolved = resolveBindings(body.bindings, host.inventory);
      const service: Service = {
        id,
        created_at: at,
        updated_at: at,
        bindings: bindingsOf(resolved, [], { serviceId: id, networkId, now: at, newId }),
        host_id: hostId,
        name: body.name,
        network_id: networkId,
        position,
        service_definition: body.service_definition,
        source: { type: "Manual" },
        tags: body.tags,
        virtualization: body.virtualization ?? null,
      };
      await guards.count(session, scope, networkId, { services: 1 });
      await services.insert(session, scope, [service], { host_name: host.name });
      await applyShift(session, scope, services, { hostId, shift, except: id, now });
      return service;
    });
    return answer.data(created, { revision: 1 });
  });

  mount(router, getService, async ({ scope, params }) => {
    const { json, revision } = await services.read(scope, params.id);
    return answer.json(json, { revision });
  });

  mount(router, updateService, async ({ scope, params: { id }, body, ifMatch }) => {
    const now = new Date();
    const updated = await onHostOf(
      storage,
      services,
      { scope, id, to: body.host_id },
      async ({ session, host, current }) => {
        const { entity } = current;
        requireRevision(ifMatch, current.revision);
        if (body.network_id !== entity.network_id || host.network_id !== entity.network_id)
          throw new AppError("network_mismatch", { path: "network_id" });
        checkTags(body.tags);
        const resolved = resolveBindings(body.bindings, host.inventory);
        const owner = { serviceId: id, networkId: entity.network_id, now: now.toISOString(), newId };
        const moves = host.id !== entity.host_id;
        const { position, shift } = moves
          ? placeNew(body.position, host.inventory.services - 1)
          : placeExisting(entity.position, body.position, host.inventory.services);
        const { name, service_definition, tags, virtualization = entity.virtualization } = body;
        const bindings = bindingsOf(resolved, entity.bindings, owner);
        const changes = { bindings, host_id: host.id, name, position, service_definition, tags, virtualization };
        const next = revised(current, { ...entity, ...changes }, now);
        if (next === null) throw new Discard(current);
        await services.replace(session, scope, [next], { host_name: host.name });
        await applyShift(session, scope, services, { hostId: host.id, shift, except: id, now });
        if (moves) {
          const gap = closeGap(entity.position);
          await applyShift(session, scope, services, { hostId: entity.host_id, shift: gap, except: id, now });
        }
        return next;
      },
    );
    return answer.data(updated.entity, { revision: updated.revision });
  });

  mount(router, deleteService, async ({ scope, params: { id }, ifMatch }) => {
    const change = { services: -1 } as const;
    await onHostOf(storage, services, { scope, id, change }, async ({ session, host, current }) => {
      requireRevision(ifMatch, current.revision);
      const { position, network_id } = current.entity;
      await services.remove(session, scope, { _id: id });
      const shift = closeGap(position);
      await applyShift(session, scope, services, { hostId: host.id, shift, except: id, now: new Date() });
      await guards.count(session, scope, network_id, { services: -1 });
    });
    return answer.data(null);
  });
}
