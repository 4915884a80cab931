import { deleteOrganizationKey, listOrganizationKeys } from "@nts/shared/contract/keys";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { requireRevision } from "@nts/shared/revision";
import type { ChangeRights } from "../rights/change-rights.js";
import { narrowed, networksOf } from "../model/scopes.rules.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { untilSaved } from "../storage/until-saved.js";
import type { UserStore } from "../storage/users.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { endedKey, type EndedMakers } from "../storage/ended-webhook-makers.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";
import { respondWithList } from "../flows/respond-with-list.js";
import type { KeyDocument } from "../model/key.rules.js";
import { keyResponse } from "../model/key-response.js";
import { maxLifetimeOf } from "../model/organization.js";
import type { KeyStore } from "../storage/api-keys.js";

export interface OrganizationKeyRoutes {
  readonly keys: KeyStore;
  readonly users: Pick<UserStore, "listIds" | "findMany">;
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly topology: TopologyDirectory;
  readonly changeRights: ChangeRights;
  readonly endedMakers: Pick<EndedMakers, "insert">;
  readonly webhooks: Pick<WebhookPausing, "pauseAndList" | "list">;
}

/** Operations by which Owners see and revoke the keys of all users. */
export function mountOrganizationKeys(router: Router, routes: OrganizationKeyRoutes): void {
  const { keys, users, organizations, topology, changeRights, endedMakers, webhooks } = routes;

  mount(router, listOrganizationKeys, async ({ scope, query, cause, work }) => {
    const { organizationId } = scope;
    const { network_id, user_id } = query;
    const known = await topology.networksIn(scope, cause);
    const maxLifetimeDays = maxLifetimeOf(await organizations.get(organizationId));
    const reaching = network_id === undefined ? undefined : await users.listIds(organizationId, network_id);
    const userIds = user_id === undefined ? reaching : [user_id].filter((id) => reaching?.includes(id) ?? true);
    const converter = async (chunk: readonly KeyDocument[]) => {
      const owners = await users.findMany(organizationId, [...new Set(chunk.map((key) => key.user_id))]);
      const networksById = new Map(owners.map((user) => [user._id, narrowed(networksOf(user), known)]));
      return (key: KeyDocument) =>
        keyResponse(key, { networkIds: networksById.get(key.user_id) ?? [], maxLifetimeDays });
    };
    const list = keys.listAll(organizationId, { ...query, userIds });
    return respondWithList(list, work, converter);
  });

  mount(router, deleteOrganizationKey, async (call) => {
    const { scope, params, query, precondition, work } = call;
    const { organizationId } = scope;
    const { id } = params;
    const { keep_webhooks } = query;
    const removed = await untilSaved(work, async () => {
      const current = await keys.findIn(organizationId, id);
      if (current === null) throw new AppError("not_found", { entity: "UserApiKey" });
      requireRevision(precondition, current.revision);
      const owner = { organizationId, userId: current.user_id };
      return changeRights(work, [id], async (tx) => {
        if (!keep_webhooks) await endedMakers.insert(endedKey(current, "key_revoked"), tx);
        return (await keys.remove(owner, current, tx)) === "conflict" ? "conflict" : current;
      });
    });
    const maker = endedKey(removed, "key_revoked");
    return respond.data(await (keep_webhooks ? webhooks.list(maker) : webhooks.pauseAndList(work, maker)));
  });
}
