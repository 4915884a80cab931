import {
  bulkDeleteNetworks,
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  updateNetwork,
  type Network,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { newId } from "@nts/shared/ids";
import type { Notices } from "../notices.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { mountGet, mountRemoval } from "../resource.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { holdTags } from "../tags/hold-tags.js";
import { requireOwnOrganization } from "./own-organization.js";

// An organization has few networks: they are read in one order and sorted in memory.
const FEW = { organization_id: 1, created_at: 1, _id: 1 } as const;

export function mountNetworks(router: Router, storage: Storage, notices: Notices): void {
  const { guards, networks, transaction } = storage;

  mount(router, listNetworks, async ({ scope, query }) =>
    answerList(networks, query, {
      scope: narrowedTo(scope, query.network_id),
      filter: commonFilter(query),
      selective: FEW,
    }),
  );

  mount(router, createNetwork, async ({ scope, body }) => {
    requireOwnOrganization(scope, body.organization_id);
    // A caller that is limited to networks could not see the one it makes.
    if (scope.networks !== "all") throw new AppError("permission_denied", { required: "all_networks" });
    const now = new Date().toISOString();
    const organization_id = scope.organizationId;
    const network: Network = {
      id: newId(),
      created_at: now,
      updated_at: now,
      name: body.name,
      organization_id,
      tags: body.tags,
    };
    await transaction([network.id], async (session) => {
      await holdTags(guards, session, scope, { tags: network.tags });
      await networks.insert(session, scope, [network]);
      await guards.create(session, { target: network.id, kind: "network", organization_id, network_id: network.id });
    });
    return answer.data(network, { revision: 1 });
  });

  mountGet(router, getNetwork, networks);

  mount(router, updateNetwork, async ({ scope, params, body, ifMatch }) => {
    const updated = await transaction([params.id], async (session) => {
      const current = await networks.get(scope, params.id, session);
      requireRevision(ifMatch, current.revision);
      requireOwnOrganization(scope, body.organization_id);
      const tags = body.tags ?? current.entity.tags;
      const next = revised(current, { ...current.entity, name: body.name, tags }, new Date());
      if (next === null) throw new Discard(current);
      await holdTags(guards, session, scope, { tags, kept: current.entity.tags });
      await networks.replace(session, scope, [next]);
      return next;
    });
    return answer.data(updated.entity, { revision: updated.revision });
  });

  mountRemoval(router, { one: deleteNetwork, several: bulkDeleteNetworks }, remove);

  /** Removes networks with everything in them: all or none. */
  async function remove(scope: Scope, ids: readonly string[], ifMatch: readonly string[] | null): Promise<void> {
    await transaction([...ids].sort(), async (session) => {
      const found = await networks.findMany(scope, { _id: { $in: ids } }, session);
      if (found.length !== ids.length) throw new AppError("not_found", { entity: networks.name });
      for (const { revision } of found) requireRevision(ifMatch, revision);
      // The guards first: they are what writers inside the networks have in common with this transaction.
      await guards.removeNetworks(session, scope, ids);
      const { bindings, services, ports, interfaces, hosts, subnets } = storage;
      for (const entities of [bindings, services, ports, interfaces, hosts, subnets, networks])
        await entities.remove(session, scope, { network_id: { $in: ids } });
    });
    for (const id of ids) notices.networkDeleted(scope.organizationId, id);
  }
}
