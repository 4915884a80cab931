import {
  bulkDeleteNetworks,
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  patchNetwork,
  updateNetwork,
  type Network,
} from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import type { Notices } from "../deletions/notices.js";
import { requireReferences, tagClaims } from "../references/claims.js";
import { SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import { commonFilter } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.rules.js";
import type { Past } from "../past/past.js";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { updateSingle } from "./update-single.js";
import { deleteNetworks } from "../deletions/networks.js";
import { requireOwnOrganization } from "../references/own-organization.js";
import { networkKind } from "../kinds/network.js";

export function mountNetworks(router: Router, storage: Storage, past: Past, notices: Notices): void {
  mountList(router, listNetworks, { entities: storage.networks, past }, plan());
  mount(router, createNetwork, create(storage));
  mountGet(router, getNetwork, { entities: storage.networks, past });
  mountUpdate(router, { put: updateNetwork, patch: patchNetwork }, update(storage));
  mountRemoval(router, { one: deleteNetwork, several: bulkDeleteNetworks }, (removed) =>
    deleteNetworks(storage, notices, removed),
  );
}

function plan(): ListPlanOf<typeof listNetworks> {
  return (query, scope) => ({ filter: commonFilter(query, scope), selective: SMALL_COLLECTION_INDEX });
}

function create(storage: Storage): UserHandler<typeof createNetwork> {
  const { guards, networks, transaction } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope, "networks");
    requireOwnOrganization(scope, body.organization_id);
    const now = new Date().toISOString();
    const organization_id = scope.organizationId;
    const network = networkKind.make(body, { id: newId(), created_at: now, updated_at: now, organization_id });
    await transaction(work, [network.id], async (tx) => {
      await requireReferences(guards, tx, scope, tagClaims(network.tags));
      await networks.insert(tx, scope, [network]);
      await guards.create(tx, [{ target: network.id, kind: "network", organization_id, network_id: network.id }]);
    });
    return respond.data(network, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateNetwork> {
  const { guards, networks } = storage;
  return async ({ work, scope, params: { id }, asked, precondition }) => {
    const next = (current: Stored<Network>): Stored<Network> | null => {
      requireRevision(precondition, current.revision);
      const body = asked(current.entity);
      requireOwnOrganization(scope, body.organization_id);
      return revised(current, networkKind.apply(current.entity, body), new Date());
    };
    const updated = await updateSingle(storage, networks, { work, scope, id, next }, async (tx, { current, next }) => {
      await requireReferences(guards, tx, scope, tagClaims(next.entity.tags, current.entity.tags));
      await networks.replace(tx, scope, [next]);
    });
    return respond.data(updated.entity, { revision: updated.revision });
  };
}
