import {
  bulkDeleteInterfaces,
  createInterface,
  deleteInterface,
  getInterface,
  listInterfaces,
  NEXT_ADDRESS,
  patchInterface,
  updateInterface,
  type Interface,
} from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { NEVER_SEEN } from "@nts/shared/contract/sightings";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { Discard } from "@nts/shared/mongo/transaction";
import { parseAddress } from "../values/addresses.js";
import { countsOf, lockHostFor, removeFromHosts, updateOnHost } from "../hosts/on-host.js";
import { newId } from "@nts/shared/ids";
import { placeExisting, placeNew } from "../hosts/positions.rules.js";
import { countsOfBindings, saveServices, unbound } from "../hosts/write-services.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { requireReferences, networkClaim } from "../references/claims.js";
import { type Place, withNextAddresses } from "../references/next-addresses.js";
import { HOST_ORDER_INDEX, SUBNET_INTERFACES_INDEX } from "../storage/indexes.js";
import { withSighting, type Stored } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import type { Removed } from "../deletions/removed.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.rules.js";
import { applyShift, closeGaps } from "../hosts/shifts.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { checkAddresses, type PlacedAddress, subnetClaims } from "../references/addresses-on.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import { interfaceKind } from "../kinds/interface.js";

export function mountInterfaces(router: Router, storage: Storage, past: Past): void {
  mountList(router, listInterfaces, { entities: storage.interfaces, past }, plan(storage));
  mount(router, createInterface, create(storage));
  mountGet(router, getInterface, { entities: storage.interfaces, past });
  mountUpdate(router, { put: updateInterface, patch: patchInterface }, update(storage));
  mountRemoval(router, { one: deleteInterface, several: bulkDeleteInterfaces }, (removed) => remove(storage, removed));
}

function plan({ totals }: Storage): ListPlanOf<typeof listInterfaces> {
  return (query, scope) => {
    const { host_id, subnet_id } = query;
    const sighting = sightingPlan(query);
    return {
      filter: {
        ...commonFilter(query, scope),
        ...sighting.filter,
        ...(host_id !== undefined && { host_id }),
        ...(subnet_id !== undefined && { subnet_id }),
      },
      keyOf: { ip_address: "ip_key" },
      selective:
        host_id !== undefined
          ? HOST_ORDER_INDEX
          : subnet_id !== undefined
            ? SUBNET_INTERFACES_INDEX
            : sighting.selective,
      total: () => totals.total(scope, "interfaces"),
    };
  };
}

function create(storage: Storage): UserHandler<typeof createInterface> {
  const { guards, interfaces, transaction } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope);
    const { host_id: hostId, network_id: networkId, subnet_id: subnetId } = body;
    const now = new Date();
    const id = newId();
    const isNext = body.ip_address === NEXT_ADDRESS;
    const asked = [{ subnet_id: subnetId, ip_address: isNext ? NEXT_ADDRESS : parseAddress(body.ip_address).text }];
    const write = (place: Place<PlacedAddress>): Promise<Interface> =>
      transaction(work, [hostId], async (tx, attempt) => {
        const host = await lockHostFor(storage, tx, scope, {
          hostId,
          networkId,
          change: { add: { interfaces: [id] } },
        });
        const claims = [networkClaim(networkId, { interfaces: 1 }), ...subnetClaims(asked)];
        await requireReferences(guards, tx, scope, claims);
        const placed = await place(tx, attempt);
        if (!isNext) await checkAddresses(storage, tx, scope, { networkId, addresses: placed });
        const { position, shift } = placeNew(body.position, host.inventory.interfaces.length - 1);
        const entity = interfaceKind.make(body, {
          id,
          created_at: now.toISOString(),
          updated_at: now.toISOString(),
          host_id: hostId,
          ip_address: placed[0]?.ip_address ?? "",
          network_id: networkId,
          subnet_id: subnetId,
          mac_address: body.mac_address ?? null,
          position,
        });
        await interfaces.insert(tx, scope, [entity]);
        await applyShift(tx, scope, interfaces, { hostId, shift, except: id, now });
        return entity;
      });
    const placing = { work, scope, networkId, asked };
    const created = await withNextAddresses(storage, placing, (place) => refusingDuplicates(() => write(place)));
    return respond.data({ ...created, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateInterface> {
  const { guards, interfaces } = storage;
  return async ({ work, scope, params: { id }, asked, precondition }) => {
    const now = new Date();
    const next = (current: Stored<Interface>, position: number): Stored<Interface> | null => {
      const { entity } = current;
      requireRevision(precondition, current.revision);
      const body = asked(entity);
      const ip_address = parseAddress(body.ip_address).text;
      if (body.network_id !== entity.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      if (body.host_id !== entity.host_id)
        throw validationFailed({ path: "host_id", message: "the host of an interface cannot be changed" });
      const mac_address = nextMacAddress(entity.mac_address, body.mac_address);
      const placed = { ip_address, subnet_id: body.subnet_id, mac_address, position };
      return revised(current, { ...interfaceKind.apply(entity, body), ...placed }, now);
    };
    const isDone = (current: Stored<Interface>): boolean =>
      next(current, asked(current.entity).position ?? current.entity.position) === null;
    const updated = await refusingDuplicates(() =>
      updateOnHost(storage, interfaces, { work, scope, id, isDone }, async ({ tx, host, current }) => {
        const { entity } = current;
        const { position: requested } = asked(entity);
        const { position, shift } = placeExisting(entity.position, requested, host.inventory.interfaces.length);
        const changed = next(current, position);
        if (changed === null) throw new Discard(current);
        const { subnet_id, ip_address, network_id: networkId } = changed.entity;
        if (subnet_id !== entity.subnet_id || ip_address !== entity.ip_address) {
          const addresses = [{ subnet_id, ip_address }];
          // With the network, as an address is freed, see `move` of next addresses.
          await requireReferences(guards, tx, scope, [networkClaim(networkId, {}), ...subnetClaims(addresses)]);
          await checkAddresses(storage, tx, scope, { networkId, addresses });
        }
        await interfaces.replace(tx, scope, [changed]);
        await applyShift(tx, scope, interfaces, { hostId: host.id, shift, except: id, now });
        return changed;
      }),
    );
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}

async function remove(storage: Storage, { work, scope, ids, precondition }: Removed): Promise<void> {
  const { interfaces } = storage;
  await removeFromHosts(storage, interfaces, {
    work,
    scope,
    ids,
    precondition,
    change: (mine) => ({ remove: { interfaces: mine } }),
    also: async ({ tx, hosts, removed, now }) => {
      const gone = removed.map(({ entity }) => entity);
      await interfaces.removedFrom(tx, scope, [...hosts.keys()]);
      const changes = await unbound(storage, tx, scope, { targets: gone.map(({ id }) => id), now });
      await saveServices(storage, tx, scope, { changes });
      await closeGaps(tx, scope, interfaces, { gone, now });
      return [...countsOf(gone, () => ({ interfaces: -1 })), ...countsOfBindings(changes)];
    },
  });
}
