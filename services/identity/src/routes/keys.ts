import type { ParentRequest } from "@nts/shared/http/headers";
import { createApiKey } from "@nts/shared/api-key";
import { createKey, deleteKey, getKey, getKeyUsage, listKeys, patchKey, updateKey } from "@nts/shared/contract/keys";
import { isId } from "@nts/shared/contract/common";
import { recordKeyUses } from "@nts/shared/contract/internal";
import { hashCredential } from "@nts/shared/credential";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import { respond } from "@nts/shared/http/respond";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import { mountUpdate } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRevision } from "@nts/shared/revision";
import type { NoteFirstUses } from "../audit/first-uses.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { ChangeRights } from "../rights/change-rights.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { respondWithList, respondWithNone } from "../flows/respond-with-list.js";
import { saveIn, untilSaved } from "../storage/until-saved.js";
import { withNormalBlocks } from "../model/allowed-addresses.js";
import { keyResponse } from "../model/key-response.js";
import { keyChanges, newKeySettings, touchesRights, type Grantor, type KeyDocument } from "../model/key.rules.js";
import { actingFor, actingForOwnerOf, grantorOf, type OwnerSources, ownerOf, respondWithKey } from "./key-caller.js";
import type { RequireRoom } from "../rights/key-quotas.js";
import type { KeyStore } from "../storage/api-keys.js";
import type { CollectorStore } from "../storage/collectors.js";
import type { ShareStore } from "../storage/shares.js";
import type { KeyUsage } from "../storage/key-usage.js";
import { endedKey, type EndedMakers } from "../storage/ended-webhook-makers.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";

export interface KeyRoutes extends Pick<OwnerSources, "users"> {
  readonly keys: KeyStore;
  readonly usage: KeyUsage;
  readonly sharedViews: Pick<ShareStore, "recordUses">;
  readonly collectors: Pick<CollectorStore, "recordSeen">;
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly topology: TopologyDirectory;
  readonly transaction: RunTransaction;
  readonly requireRoom: RequireRoom;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly noteFirstUses: NoteFirstUses;
  readonly endedMakers: Pick<EndedMakers, "insert">;
  readonly webhooks: Pick<WebhookPausing, "pause" | "pauseAndList" | "list">;
}

export function mountKeys(router: Router, routes: KeyRoutes): void {
  mountKeyReads(router, routes);
  mountKeySettings(router, routes);
  mountKeyDeletion(router, routes);
  mountAny(router, recordKeyUses, async ({ body }) => {
    const now = Date.now();
    // A gateway's clock may be ahead; a use in the future would hide all later ones.
    const usedAt = (use: { readonly used_at: string }): Date => new Date(Math.min(Date.parse(use.used_at), now));
    const ofKeys = body.uses.filter((use) => use.is_share !== true && use.is_collector !== true);
    const ofCollectors = body.uses.filter((use) => use.is_collector === true);
    const ofShares = body.uses.filter((use) => use.is_share === true);
    await routes.keys.recordUses(
      ofKeys.map((use) => ({ key_id: use.key_id, is_previous: use.is_previous, used_at: usedAt(use) })),
    );
    await routes.noteFirstUses(ofKeys);
    await routes.usage.count({ ...body, uses: ofKeys }, new Date(now));
    if (ofCollectors.length > 0)
      await routes.collectors.recordSeen(ofCollectors.map((use) => ({ id: use.key_id, at: usedAt(use) })));
    if (ofShares.length > 0)
      await routes.sharedViews.recordUses(
        ofShares.map((use) => ({ key_id: use.key_id, requests: use.requests, used_at: usedAt(use) })),
        new Date(now),
      );
    return respond.data(null);
  });
}

function mountKeyReads(router: Router, routes: KeyRoutes): void {
  const { keys, usage, topology } = routes;

  mount(router, listKeys, async ({ principal, query, cause, work }) => {
    const { network_id, user_id } = query;
    const acting = await actingFor(routes, principal, user_id);
    if (user_id !== undefined && user_id !== acting.userId) return respondWithNone(query);
    const caller = await grantorOf(routes, acting, cause);
    if (network_id !== undefined && !caller.networkIds.includes(network_id)) return respondWithNone(query);
    const converter = async (chunk: readonly KeyDocument[]) => {
      const living = await livingTags(chunk, caller, cause);
      return (key: KeyDocument) => keyResponse(living(key), caller);
    };
    return respondWithList(keys.list(caller, query), work, converter);
  });

  mount(router, getKey, async ({ principal, params, cause }) => {
    const acting = await actingForOwnerOf(routes, principal, params.id);
    const caller = await grantorOf(routes, acting, cause);
    const key = await keys.get(caller, params.id);
    const living = await livingTags([key], caller, cause);
    return respondWithKey(living(key), caller);
  });

  mount(router, getKeyUsage, async ({ principal, params }) => {
    const owner = ownerOf(await actingForOwnerOf(routes, principal, params.id));
    const { _id } = await keys.get(owner, params.id);
    return respond.data({ days: await usage.days(_id, new Date()) });
  });

  /** @returns omits deleted tags that are not removed yet from one of the keys */
  async function livingTags(
    found: readonly KeyDocument[],
    { organizationId }: Grantor,
    cause: ParentRequest,
  ): Promise<(key: KeyDocument) => KeyDocument> {
    const named = found.flatMap(({ tags }) => tags);
    const living = new Set(await topology.managedAmong(named, organizationId, cause));
    return (key) => ({ ...key, tags: key.tags.filter((tag) => !isId(tag) || living.has(tag)) });
  }
}

/** Operations that define the rights of a key. */
function mountKeySettings(router: Router, routes: KeyRoutes): void {
  const { keys, topology, transaction, requireRoom, requireConfirmed, changeRights, endedMakers, webhooks } = routes;

  mount(router, createKey, async ({ principal, body, cause, work }) => {
    const now = new Date();
    const acting = await actingFor(routes, principal, body.user_id);
    const caller = await grantorOf(routes, acting, cause, body.tags);
    const settings = newKeySettings(withNormalBlocks(body), caller, now);
    if (isAtLeast(settings.permissions, "Admin")) await requireConfirmed(principal);
    const { secret, publicId } = createApiKey();
    const key: KeyDocument = {
      _id: newId(),
      hash: hashCredential(secret),
      public_id: publicId,
      created_at: now,
      updated_at: now,
      revision: 1,
      last_used: null,
      organization_id: caller.organizationId,
      user_id: caller.userId,
      previous: null,
      ...settings,
    };
    await transaction(work, [`keys:${caller.organizationId}`], async (tx) => {
      await requireRoom({ ...caller, ...principal.scope }, tx);
      await keys.insert(key, tx);
    });
    const api_key = { ...keyResponse(key, caller), key: secret };
    return respond.data({ api_key, key: secret }, { revision: key.revision });
  });

  mountUpdate(router, { put: updateKey, patch: patchKey }, async (call) => {
    const { principal, params, requestedState, precondition, work, cause } = call;
    const { id } = params;
    const grants = await grantorOf(routes, await actingForOwnerOf(routes, principal, id), cause);
    const { organizationId } = grants;
    const saved = await untilSaved(work, async () => {
      const current = await keys.get(grants, id);
      requireRevision(precondition, current.revision);
      const body = withNormalBlocks(requestedState(keyResponse(current, grants)));
      const added = body.tags.filter((tag) => !current.tags.includes(tag));
      const caller = { ...grants, tagIds: await topology.managedAmong(added, organizationId, cause) };
      const changes = keyChanges(current, body, caller, new Date());
      if (Object.keys(changes).length === 0) return current;
      if (changes.permissions !== undefined && isAtLeast(changes.permissions, "Admin"))
        await requireConfirmed(principal);
      if (!touchesRights(changes))
        return saveIn(transaction, work, id, (tx) => keys.update(caller, current, changes, tx));
      return changeRights(work, [id], async (tx) => {
        const updated = await keys.update(caller, current, changes, tx);
        if (updated !== "conflict" && managesWebhooks(current) && !managesWebhooks(updated))
          await endedMakers.insert(endedKey(current, "key_revoked"), tx);
        return updated;
      });
    });
    if (!managesWebhooks(saved)) await webhooks.pause(work, endedKey(saved, "key_revoked"));
    return respondWithKey(saved, grants);
  });
}

function mountKeyDeletion(router: Router, routes: KeyRoutes): void {
  const { keys, changeRights, endedMakers, webhooks } = routes;

  mount(router, deleteKey, async ({ principal, params: { id }, query: { keep_webhooks }, precondition, work }) => {
    const owner = ownerOf(await actingForOwnerOf(routes, principal, id));
    const maker = endedKey({ _id: id, organization_id: owner.organizationId, user_id: owner.userId }, "key_revoked");
    await untilSaved(work, async () => {
      const current = await keys.get(owner, id);
      requireRevision(precondition, current.revision);
      return changeRights(work, [id], async (tx) => {
        if (!keep_webhooks) await endedMakers.insert(maker, tx);
        return keys.remove(owner, current, tx);
      });
    });
    return respond.data(await (keep_webhooks ? webhooks.list(maker) : webhooks.pauseAndList(work, maker)));
  });
}

/** Whether its rights suffice to manage webhooks. */
function managesWebhooks({ is_enabled, permissions }: KeyDocument): boolean {
  return is_enabled && isAtLeast(permissions, "Admin");
}
