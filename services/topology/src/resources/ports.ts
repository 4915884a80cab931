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
import { Discard } from "@nts/shared/mongo/transaction";
import { portType } from "../values/well-known-ports.rules.js";
import { countsOf, lockHostFor, removeFromHosts, updateOnHost } from "../hosts/on-host.js";
import { newId } from "@nts/shared/ids";
import { countsOfBindings, saveServices, unbound } from "../hosts/write-services.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { requireReferences, networkClaim } from "../references/claims.js";
import { HOST_PORTS_INDEX } from "../storage/indexes.js";
import { withSighting, type Stored } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import type { Removed } from "../deletions/removed.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.rules.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { portKind } from "../kinds/port.js";

export function mountPorts(router: Router, storage: Storage, past: Past): void {
  mountList(router, listPorts, { entities: storage.ports, past }, plan(storage));
  mount(router, createPort, create(storage));
  mountGet(router, getPort, { entities: storage.ports, past });
  mountUpdate(router, { put: updatePort, patch: patchPort }, update(storage));
  mountRemoval(router, { one: deletePort, several: bulkDeletePorts }, (removed) => remove(storage, removed));
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
  const { guards, ports, transaction } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope);
    const { host_id, network_id, number, protocol } = body;
    const now = new Date().toISOString();
    const id = newId();
    const type = portType(number, protocol);
    const port = portKind.make(body, { id, created_at: now, updated_at: now, network_id, host_id, type });
    await refusingDuplicates(() =>
      transaction(work, [host_id], async (tx) => {
        await lockHostFor(storage, tx, scope, {
          hostId: host_id,
          networkId: network_id,
          change: { add: { ports: [id] } },
        });
        await requireReferences(guards, tx, scope, [networkClaim(network_id, { ports: 1 })]);
        await ports.insert(tx, scope, [port]);
      }),
    );
    return respond.data({ ...port, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updatePort> {
  const { ports } = storage;
  return async ({ work, scope, params: { id }, asked, precondition }) => {
    const next = (current: Stored<Port>): Stored<Port> | null => {
      const { entity } = current;
      requireRevision(precondition, current.revision);
      const body = asked(entity);
      const { network_id, host_id, number, protocol } = body;
      if (network_id !== entity.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      if (host_id !== entity.host_id)
        throw validationFailed({ path: "host_id", message: "the host of a port cannot be changed" });
      return revised(current, { ...portKind.apply(entity, body), type: portType(number, protocol) }, new Date());
    };
    const updating = { work, scope, id, isDone: (current: Stored<Port>) => next(current) === null };
    const updated = await refusingDuplicates(() =>
      updateOnHost(storage, ports, updating, async ({ tx, current }) => {
        const changed = next(current);
        if (changed === null) throw new Discard(current);
        await ports.replace(tx, scope, [changed]);
        return changed;
      }),
    );
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}

async function remove(storage: Storage, { work, scope, ids, precondition }: Removed): Promise<void> {
  const { ports } = storage;
  await removeFromHosts(storage, ports, {
    work,
    scope,
    ids,
    precondition,
    change: (mine) => ({ remove: { ports: mine } }),
    also: async ({ tx, removed, now }) => {
      const gone = removed.map(({ entity }) => entity);
      const changes = await unbound(storage, tx, scope, { targets: gone.map(({ id }) => id), now });
      await saveServices(storage, tx, scope, { changes });
      return [...countsOf(gone, () => ({ ports: -1 })), ...countsOfBindings(changes)];
    },
  });
}
