import {
  bulkDeletePorts,
  createPort,
  deletePort,
  getPort,
  listPorts,
  patchPort,
  updatePort,
  type Port,
} from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { NEVER_SEEN } from "@nts/shared/contract/sightings";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { portType } from "../values/well-known-ports.rules.js";
import { commitNewOnHost } from "../commit/create.js";
import { commitRemovalFromHosts } from "../commit/remove.js";
import { commitUpdateOnHost } from "../commit/update.js";
import { newId } from "@nts/shared/ids";
import { HOST_PORTS_INDEX } from "../storage/indexes.js";
import { withSighting } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { portKind } from "../kinds/port.js";

export function mountPorts(router: Router, storage: Storage, past: Past): void {
  mountList(router, listPorts, { entities: storage.ports, past }, plan(storage));
  mount(router, createPort, create(storage));
  mountGet(router, getPort, { entities: storage.ports, past });
  mountUpdate(router, { put: updatePort, patch: patchPort }, update(storage));
  mountRemoval(router, { one: deletePort, several: bulkDeletePorts }, (removing) =>
    commitRemovalFromHosts(storage, "Port", removing),
  );
}

function plan({ totals }: Storage): ListPlanOf<typeof listPorts> {
  return (query, scope) => {
    const { filter, selective } = sightingPlan(query);
    return {
      filter: {
        ...commonFilter(query, scope),
        ...filter,
        ...(query.host_id !== undefined && { host_id: query.host_id }),
      },
      selective: query.host_id === undefined ? selective : HOST_PORTS_INDEX,
      total: () => totals.total(scope, "ports"),
    };
  };
}

function create(storage: Storage): UserHandler<typeof createPort> {
  return async ({ work, scope, body }) => {
    const { host_id, network_id, number, protocol } = body;
    const now = new Date().toISOString();
    const id = newId();
    const type = portType(number, protocol);
    const port = portKind.make(body, { id, created_at: now, updated_at: now, network_id, host_id, type });
    const child = { work, scope, kind: "Port", id, hostId: host_id, networkId: network_id } as const;
    await commitNewOnHost(storage, child, () => port);
    return respond.data({ ...port, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updatePort> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (port: Port): Port => {
      const body = requestedState(port);
      const { network_id, host_id, number, protocol } = body;
      if (network_id !== port.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      if (host_id !== port.host_id)
        throw validationFailed({ path: "host_id", message: "the host of a port cannot be changed" });
      return { ...portKind.apply(port, body), type: portType(number, protocol) };
    };
    const updated = await commitUpdateOnHost(storage, "Port", { work, scope, id, precondition }, decide);
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}
