import {
  bulkDeleteInterfaces,
  createInterface,
  deleteInterface,
  getInterface,
  listInterfaces,
  updateInterface,
  type Interface,
} from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { parseAddress } from "../addresses.js";
import { lockHostFor, removeFromHosts, updateOnHost } from "../hosts/on-host.js";
import { newId } from "@nts/shared/ids";
import { placeExisting, placeNew } from "../positions.js";
import { unbind } from "../services/write.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { mountGet, mountRemoval } from "../resource.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import { applyShift, closeGaps } from "../storage/shifts.js";
import type { Storage } from "../storage/storage.js";
import { holdAddress } from "../subnets/hold-address.js";
import { nextMacAddress } from "./mac-address.js";

export function mountInterfaces(router: Router, storage: Storage): void {
  const { guards, interfaces, transaction } = storage;

  mount(router, listInterfaces, async ({ scope: whole, query }) => {
    const scope = narrowedTo(whole, query.network_id);
    const { host_id, subnet_id } = query;
    return answerList(interfaces, query, {
      scope,
      filter: {
        ...commonFilter(query),
        ...(host_id !== undefined && { host_id }),
        ...(subnet_id !== undefined && { subnet_id }),
      },
      keyOf: { ip_address: "ip_key" },
      selective:
        host_id !== undefined ? { host_id: 1, position: 1 } : subnet_id !== undefined ? { subnet_id: 1 } : undefined,
      total: () => guards.total(scope, "interfaces"),
    });
  });

  mount(router, createInterface, async ({ scope, body }) => {
    const { host_id: hostId, network_id: networkId, subnet_id: subnetId } = body;
    const now = new Date();
    const id = newId();
    const address = parseAddress(body.ip_address).text;
    const created = await refusingDuplicates(() =>
      transaction([hostId], async (session) => {
        const host = await lockHostFor(storage, session, scope, {
          hostId,
          networkId,
          change: { add: { interfaces: [id] } },
        });
        await holdAddress(storage, session, scope, { subnetId, networkId, address });
        const { position, shift } = placeNew(body.position, host.inventory.interfaces.length - 1);
        const entity: Interface = {
          id,
          created_at: now.toISOString(),
          updated_at: now.toISOString(),
          host_id: hostId,
          ip_address: address,
          name: body.name,
          network_id: networkId,
          subnet_id: subnetId,
          mac_address: body.mac_address ?? null,
          position,
        };
        await guards.count(session, scope, networkId, { interfaces: 1 });
        await interfaces.insert(session, scope, [entity]);
        await applyShift(session, scope, interfaces, { hostId, shift, except: id, now });
        return entity;
      }),
    );
    return answer.data(created, { revision: 1 });
  });

  mountGet(router, getInterface, interfaces);

  mount(router, updateInterface, async ({ scope, params: { id }, body, ifMatch }) => {
    const now = new Date();
    const address = parseAddress(body.ip_address).text;
    const updated = await refusingDuplicates(() =>
      updateOnHost(storage, interfaces, { scope, id }, async ({ session, host, current }) => {
        const { entity } = current;
        requireRevision(ifMatch, current.revision);
        if (body.network_id !== entity.network_id) throw new AppError("network_mismatch", { path: "network_id" });
        if (body.host_id !== entity.host_id)
          throw validationFailed({ path: "host_id", message: "the host of an interface cannot be changed" });
        const mac_address = nextMacAddress(entity.mac_address, body.mac_address);
        const { name, subnet_id, network_id: networkId } = body;
        if (subnet_id !== entity.subnet_id || address !== entity.ip_address)
          await holdAddress(storage, session, scope, { subnetId: subnet_id, networkId, address });
        const { position, shift } = placeExisting(entity.position, body.position, host.inventory.interfaces.length);
        const changes = { ip_address: address, name, subnet_id, mac_address, position };
        const next = revised(current, { ...entity, ...changes }, now);
        if (next === null) throw new Discard(current);
        await interfaces.replace(session, scope, [next]);
        await applyShift(session, scope, interfaces, { hostId: host.id, shift, except: id, now });
        return next;
      }),
    );
    return answer.data(updated.entity, { revision: updated.revision });
  });

  mountRemoval(router, { one: deleteInterface, several: bulkDeleteInterfaces }, remove);

  async function remove(scope: Scope, ids: readonly string[], ifMatch: readonly string[] | null): Promise<void> {
    await removeFromHosts(storage, interfaces, {
      scope,
      ids,
      ifMatch,
      change: (mine) => ({ remove: { interfaces: mine } }),
      also: async ({ session, host, removed, now }) => {
        await interfaces.removedFrom(session, scope, [host.id]);
        await unbind(storage, session, scope, { host, targets: removed.map(({ entity }) => entity.id), now });
        const from = Math.min(...removed.map(({ entity }) => entity.position));
        await closeGaps(session, scope, interfaces, { hostId: host.id, from, now });
        return { interfaces: -removed.length };
      },
    });
  }
}
