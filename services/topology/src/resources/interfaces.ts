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
import { parseAddress } from "../values/addresses.js";
import { commitNewOnHost } from "../commit/create.js";
import { withNextAddresses } from "../commit/next-addresses.js";
import { commitRemovalFromHosts } from "../commit/remove.js";
import { commitUpdateOnHost } from "../commit/update.js";
import { newId } from "@nts/shared/ids";
import { HOST_ORDER_INDEX, INTERFACE_ADDRESSES_INDEX } from "../storage/indexes.js";
import { withSighting } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import { interfaceKind } from "../kinds/interface.js";

export function mountInterfaces(router: Router, storage: Storage, past: Past): void {
  mountList(router, listInterfaces, { entities: storage.interfaces, past }, plan(storage));
  mount(router, createInterface, create(storage));
  mountGet(router, getInterface, { entities: storage.interfaces, past });
  mountUpdate(router, { put: updateInterface, patch: patchInterface }, update(storage));
  mountRemoval(router, { one: deleteInterface, several: bulkDeleteInterfaces }, (removing) =>
    commitRemovalFromHosts(storage, "Interface", removing),
  );
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
            ? INTERFACE_ADDRESSES_INDEX
            : sighting.selective,
      total: () => totals.total(scope, "interfaces"),
    };
  };
}

function create(storage: Storage): UserHandler<typeof createInterface> {
  return async ({ work, scope, body }) => {
    const { host_id: hostId, network_id: networkId, subnet_id: subnetId } = body;
    const now = new Date().toISOString();
    const id = newId();
    const isNext = body.ip_address === NEXT_ADDRESS;
    const requested = [{ subnet_id: subnetId, ip_address: isNext ? NEXT_ADDRESS : parseAddress(body.ip_address).text }];
    const child = { work, scope, kind: "Interface", id, hostId, networkId, position: body.position } as const;
    const created = await withNextAddresses(storage, { work, scope, networkId, requested }, (place) =>
      commitNewOnHost(
        storage,
        child,
        async ({ tx, attempt, position }) => {
          const [placed] = await place(tx, attempt);
          return interfaceKind.make(body, {
            id,
            created_at: now,
            updated_at: now,
            host_id: hostId,
            ip_address: placed?.ip_address ?? "",
            network_id: networkId,
            subnet_id: subnetId,
            mac_address: body.mac_address ?? null,
            position,
          });
        },
        { areAddressesGiven: isNext },
      ),
    );
    return respond.data({ ...created, ...NEVER_SEEN }, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateInterface> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (current: Interface): Interface => {
      const body = requestedState(current);
      const ip_address = parseAddress(body.ip_address).text;
      if (body.network_id !== current.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      if (body.host_id !== current.host_id)
        throw validationFailed({ path: "host_id", message: "the host of an interface cannot be changed" });
      const mac_address = nextMacAddress(current.mac_address, body.mac_address);
      const position = body.position ?? current.position;
      return { ...interfaceKind.apply(current, body), ip_address, subnet_id: body.subnet_id, mac_address, position };
    };
    const updated = await commitUpdateOnHost(storage, "Interface", { work, scope, id, precondition }, decide);
    return respond.data(withSighting(updated), { revision: updated.revision });
  };
}
