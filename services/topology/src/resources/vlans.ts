import {
  bulkDeleteVlans,
  createVlan,
  deleteVlan,
  getVlan,
  listVlans,
  patchVlan,
  updateVlan,
  type Vlan,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import { commitNew } from "../commit/create.js";
import { commitVlanRemoval } from "../commit/remove.js";
import { commitUpdate } from "../commit/update.js";
import { vlanKind } from "../kinds/vlan.js";
import type { Past } from "../past/past.js";
import { commonFilter } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";

export function mountVlans(router: Router, storage: Storage, past: Past): void {
  mountList(router, listVlans, { entities: storage.vlans, past }, plan(storage));
  mount(router, createVlan, create(storage));
  mountGet(router, getVlan, { entities: storage.vlans, past });
  mountUpdate(router, { put: updateVlan, patch: patchVlan }, update(storage));
  mountRemoval(router, { one: deleteVlan, several: bulkDeleteVlans }, (removing) =>
    commitVlanRemoval(storage, removing),
  );
}

function plan({ totals }: Storage): ListPlanOf<typeof listVlans> {
  return (query, scope) => ({ filter: commonFilter(query, scope), total: () => totals.total(scope, "vlans") });
}

function create(storage: Storage): UserHandler<typeof createVlan> {
  return async ({ work, scope, body }) => {
    const now = new Date().toISOString();
    const { network_id } = body;
    const vlan = vlanKind.make(body, { id: newId(), created_at: now, updated_at: now, network_id });
    await commitNew(storage, { work, scope }, { vlans: { created: [vlan] } });
    return respond.data(vlan, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateVlan> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (vlan: Vlan): Vlan => {
      const body = requestedState(vlan);
      if (body.network_id !== vlan.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      return vlanKind.apply(vlan, body);
    };
    const { entity, revision } = await commitUpdate(storage, "Vlan", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}
