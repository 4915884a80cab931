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
import { commitNew } from "../commit/create.js";
import { commitUpdate } from "../commit/update.js";
import { SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import { commonFilter } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { deleteNetworks } from "../deletions/networks.js";
import { requireOwnOrganization } from "./own-organization.js";
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
  return async ({ work, scope, body }) => {
    requireOwnOrganization(scope, body.organization_id);
    const now = new Date().toISOString();
    const server = { id: newId(), created_at: now, updated_at: now, organization_id: scope.organizationId };
    const network = networkKind.make(body, server);
    await commitNew(storage, { work, scope }, { networks: { created: [network] } });
    return respond.data(network, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateNetwork> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (network: Network): Network => {
      const body = requestedState(network);
      requireOwnOrganization(scope, body.organization_id);
      return networkKind.apply(network, body);
    };
    const { entity, revision } = await commitUpdate(storage, "Network", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}
