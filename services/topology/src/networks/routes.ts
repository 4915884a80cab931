import {
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
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { newId } from "../ids.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { requireRevision, revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { checkTags } from "../tags.js";

/** What other parts of the system are told of. */
export interface NetworkNotices {
  deleted(organizationId: string, networkId: string): void;
}

export function mountNetworks(router: Router, storage: Storage, notices: NetworkNotices): void {
  const { guards, networks, transaction } = storage;

  mount(router, listNetworks, async ({ scope, query }) =>
    answerList(networks, query, { scope: narrowedTo(scope, query.network_id), filter: commonFilter(query) }),
  );

  mount(router, createNetwork, async ({ principal, scope, body }) => {
    requireOwnOrganization(principal, body.organization_id);
    // A caller that is limited to networks could not see the one it makes.
    if (scope.networks !== "all") throw new AppError("permission_denied", { required: "all_networks" });
    checkTags(body.tags);
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
      await networks.insert(session, scope, [network]);
      await guards.create(session, { target: network.id, kind: "network", organization_id, network_id: network.id });
    });
    return answer.data(network, { revision: 1 });
  });

  mount(router, getNetwork, async ({ scope, params }) => {
    const { json, revision } = await networks.read(scope, params.id);
    return answer.json(json, { revision });
  });

  mount(router, updateNetwork, async ({ principal, scope, params, body, ifMatch }) => {
    const updated = await transaction([params.id], async (session) => {
      const current = await networks.get(scope, params.id, session);
      requireRevision(ifMatch, current.revision);
      requireOwnOrganization(principal, body.organization_id);
      const tags = body.tags ?? current.entity.tags;
      checkTags(tags);
      const next = revised(current, { ...current.entity, name: body.name, tags }, new Date());
      if (next === null) throw new Discard(current);
      await networks.replace(session, scope, [next]);
      return next;
    });
    return answer.data(updated.entity, { revision: updated.revision });
  });

  mount(router, deleteNetwork, async ({ scope, params: { id }, ifMatch }) => {
    await transaction([id], async (session) => {
      const current = await networks.get(scope, id, session);
      requireRevision(ifMatch, current.revision);
      // The guards first: they are what writers inside the network have in common with this transaction.
      await guards.removeNetwork(session, scope, id);
      const { services, ports, interfaces, hosts, subnets } = storage;
      for (const entities of [services, ports, interfaces, hosts, subnets, networks])
        await entities.remove(session, scope, { network_id: id });
    });
    notices.deleted(scope.organizationId, id);
    return answer.data(null);
  });
}

function requireOwnOrganization(principal: UserPrincipal, organizationId: string | undefined): void {
  if (organizationId !== undefined && organizationId !== principal.scope.organizationId)
    throw new AppError("permission_denied", { required: "own_organization" });
}
