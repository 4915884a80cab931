import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhookProgress,
  listWebhooks,
  patchWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  isId,
  type Webhook,
  type WebhookFilter,
  type WebhookInput,
} from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { Discard } from "@nts/shared/mongo/transaction";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import { requireRevision } from "@nts/shared/revision";
import type { Notices } from "../deletions/notices.js";
import { goneBehind } from "../journal/cursors.js";
import type { JournalReader } from "../journal/read.js";
import type { Stored } from "../storage/entities.js";
import { BY_ID, SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import { respondWithList, commonFilter } from "../storage/lists.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import { webhooksSeenFrom, type WebhookStore } from "../storage/stores/webhooks.js";
import { notedOf } from "../webhooks/audited.js";
import type { WebhookOperations } from "../webhooks/operations.js";
import { isSeenFrom } from "../webhooks/filter.rules.js";
import { type Audited, createAudited } from "./audited.js";

interface Parts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly operations: WebhookOperations;
  readonly reader: JournalReader;
}

interface Dependencies extends Parts {
  readonly audited: Audited;
}

// Handlers use the caller's rights: the visible scope of an unrestricted caller is a list of networks while a large one is
// being deleted.

const EVERYTHING: WebhookFilter = { network_ids: [], entities: [], actions: [], tag_ids: [], known: null };

export function mountWebhooks(router: Router, parts: Parts): void {
  const dependencies: Dependencies = { ...parts, audited: createAudited(parts.storage, parts.notices) };
  const { storage, operations, audited } = dependencies;
  const { webhooks } = storage;
  mount(router, listWebhooks, list(webhooks));
  mount(router, listWebhookProgress, progress(dependencies));
  mount(router, createWebhook, create(dependencies));
  mount(router, getWebhook, async ({ principal: { scope }, params: { id } }) => {
    const { entity, revision } = await seen(webhooks, scope, id);
    return respond.data(entity, { revision });
  });
  mountUpdate(router, { put: updateWebhook, patch: patchWebhook }, update(dependencies));
  mount(router, deleteWebhook, async ({ work, principal: { scope }, params: { id }, precondition }) => {
    await audited({ work, scope }, [id], async (tx, note) => {
      const { entity: before, revision } = await seen(webhooks, scope, id, tx);
      requireRevision(precondition, revision);
      await webhooks.remove(tx, scope, { _id: id });
      await operations.states.remove(tx, { _id: id, organization_id: scope.organizationId });
      await note(notedOf(before, "deleted", { before }));
    });
    return respond.data(null);
  });
  mountActions(router, dependencies);
}

function mountActions(router: Router, dependencies: Dependencies): void {
  const { storage, operations, reader, audited } = dependencies;
  const { webhooks } = storage;
  mount(router, rotateWebhook, async ({ work, principal: { scope }, params: { id } }) => {
    const salt = operations.newSalt();
    const secret = await operations.secretOf(salt);
    await audited({ work, scope }, [id], async (tx, note) => {
      const { entity } = await seen(webhooks, scope, id, tx);
      await operations.states.change(tx, { _id: id, organization_id: scope.organizationId }, { salt });
      await note(notedOf(entity, "rotated"));
    });
    return respond.data({ secret });
  });
  mount(router, testWebhook, async ({ principal: { scope }, params: { id } }) =>
    respond.data(await operations.test((await seen(webhooks, scope, id)).entity)),
  );
  mount(router, replayWebhook, async ({ work, principal: { scope }, params: { id }, body: { after } }) => {
    await seen(webhooks, scope, id);
    const cursors = await reader.cursors();
    const { organizationId: organization_id } = scope;
    const from = cursors.read(organization_id, after);
    const { last, goneForCaller } = await reader.ends(scope);
    if (from < goneForCaller) throw goneBehind(cursors, organization_id, goneForCaller);
    const { entity, revision } = await audited({ work, scope }, [id], async (tx, note) => {
      const found = await seen(webhooks, scope, id, tx);
      await operations.states.change(tx, { _id: id, organization_id }, { n: Math.min(from, last) });
      await note(notedOf(found.entity, "replayed"));
      return found;
    });
    return respond.data(entity, { revision });
  });
  mount(router, listWebhookDeliveries, async ({ principal: { scope }, params: { id } }) => {
    await seen(webhooks, scope, id);
    const found = await operations.states.deliveries({ _id: id, organization_id: scope.organizationId });
    return respond.data(found.map(({ at, ...delivery }) => ({ ...delivery, at: at.toISOString() })));
  });
}

/** A webhook visible to the caller. @throws AppError `not_found` */
async function seen(webhooks: WebhookStore, scope: Scope, ...[id, tx]: Args): Promise<Stored<Webhook>> {
  const found = await webhooks.get(scope, id, tx);
  if (!isSeenFrom(scope.networks, found.entity.filter)) throw new AppError("not_found", { entity: "Webhook" });
  return found;
}
type Args = [id: string, tx?: Parameters<WebhookStore["get"]>[2]];

function list(webhooks: WebhookStore): UserHandler<typeof listWebhooks> {
  return ({ work, principal: { scope }, query }) => {
    const { network_id, ...rest } = query;
    const named = network_id === undefined ? {} : { networks: network_id };
    const filter = { $and: [commonFilter(rest, scope), webhooksSeenFrom(scope), named] };
    return respondWithList(webhooks, rest, { work, scope, filter, selective: SMALL_COLLECTION_INDEX });
  };
}

function progress({ storage, operations, reader }: Dependencies): UserHandler<typeof listWebhookProgress> {
  return async ({ principal: { scope } }) => {
    const { organizationId } = scope;
    const found = storage.webhooks.select(scope, webhooksSeenFrom(scope), {
      projection: { _id: 1 },
      hint: SMALL_COLLECTION_INDEX,
    });
    const states = storage.database.share(scope, () => operations.states.allOf(organizationId));
    const [cursors, webhooks, all] = await Promise.all([reader.cursors(), found, states]);
    const ids = new Set(webhooks.map(({ _id }) => _id));
    return respond.data(
      all
        .filter(({ _id }) => ids.has(_id))
        .map(({ _id, n, failing_since, attempts, delivered_at = null }) => ({
          webhook_id: _id,
          cursor: cursors.of(organizationId, n),
          failing_since: failing_since?.toISOString() ?? null,
          attempts,
          delivered_at: delivered_at?.toISOString() ?? null,
        })),
    );
  };
}

function create(dependencies: Dependencies): UserHandler<typeof createWebhook> {
  const { storage, operations, reader, audited } = dependencies;
  const { webhooks } = storage;
  return async ({ work, principal, scope: visible, clientAddress, body }) => {
    const { scope } = principal;
    const now = new Date().toISOString();
    const { organizationId: organization_id } = scope;
    const created_by = makerOf(principal);
    const given = { id: newId(), created_at: now, updated_at: now, organization_id, created_by, paused: null };
    const webhook: Webhook = {
      ...given,
      ...withDefaults(body, { url: "", filter: EVERYTHING, format: "standard", batch_seconds: 0, is_enabled: true }),
    };
    requireUrl(operations, webhook.url);
    await requireFilter(storage, { scope, visible }, webhook.filter, EVERYTHING);
    const salt = operations.newSalt();
    const secret = await operations.secretOf(salt);
    const { last: n } = await reader.ends({ organizationId: organization_id, networks: "all" });
    await audited({ work, scope }, [`webhooks:${organization_id}`], async (tx, note) => {
      const { most: limit } = operations;
      const count = await webhooks.countIn(tx, scope, {}, { most: limit, hint: SMALL_COLLECTION_INDEX });
      requireRoomFor(count, { entity: "Webhook", limit, unverified: UNVERIFIED_QUOTAS.webhooks }, scope.isUnverified);
      await webhooks.insert(tx, scope, [webhook]);
      const state = { salt, is_active: webhook.is_enabled, n, ...madeAt(clientAddress) };
      await operations.states.insert(tx, { _id: webhook.id, organization_id }, state);
      await note(notedOf(webhook, "created", { after: webhook }));
    });
    return respond.data({ ...webhook, secret }, { revision: 1 });
  };
}

function update(dependencies: Dependencies): UpdateHandler<typeof updateWebhook> {
  const { storage, operations, audited } = dependencies;
  const { webhooks } = storage;
  return async ({ work, principal, scope: visible, clientAddress, params: { id }, requestedState, precondition }) => {
    const { scope } = principal;
    const { entity: before } = await seen(webhooks, scope, id);
    const first = withDefaults(requestedState(before), before);
    await requireFilter(storage, { scope, visible }, first.filter, before.filter);
    const updated = await audited({ work, scope }, [id], async (tx, note) => {
      const current = await seen(webhooks, scope, id, tx);
      requireRevision(precondition, current.revision);
      const { entity } = current;
      const requested = withDefaults(requestedState(entity), entity);
      if (requested.url !== entity.url) requireUrl(operations, requested.url);
      // After a concurrent write, the stored state is validated.
      if (JSON.stringify(requested.filter) !== JSON.stringify(first.filter)) throw new AppError("write_conflict");
      const paused = requested.is_enabled ? null : entity.paused;
      // Who says where it sends, or resumes it, answers for it from then on.
      const isTakenOver = requested.url !== entity.url || (entity.paused !== null && paused === null);
      const created_by = isTakenOver ? makerOf(principal) : entity.created_by;
      const next = revised(current, { ...entity, ...requested, created_by, paused }, new Date());
      if (next === null) throw new Discard(current);
      await webhooks.replace(tx, scope, [next]);
      const of = { _id: id, organization_id: scope.organizationId };
      const changes = { is_active: requested.is_enabled, ...(isTakenOver && madeAt(clientAddress)) };
      await operations.states.change(tx, of, changes);
      await note(notedOf(next.entity, "updated", { before: entity, after: next.entity }));
      return next;
    });
    return respond.data(updated.entity, { revision: updated.revision });
  };
}

function makerOf({ kind, credentialId, userId, email }: UserPrincipal): Webhook["created_by"] {
  return { user_id: userId, key_id: kind === "key" ? credentialId : null, email: email ?? null };
}

/** Services that are called directly know no client. */
function madeAt(clientAddress: string): { maker_address?: string } {
  return clientAddress === "" ? {} : { maker_address: clientAddress };
}

type Settings = Pick<Webhook, "url" | "filter" | "format" | "batch_seconds" | "is_enabled">;

/** The body, with current values for absent members. */
function withDefaults(body: WebhookInput, was: Settings): Settings {
  const { url, filter = was.filter, format = was.format } = body;
  const { batch_seconds = was.batch_seconds, is_enabled = was.is_enabled } = body;
  return { url, filter, format, batch_seconds, is_enabled };
}

function requireUrl(operations: WebhookOperations, url: string): void {
  const message = operations.faultOf(url);
  if (message !== null) throw validationFailed({ path: "url", message });
}

/**
 * Validates the references of a filter; already present ones may have been deleted.
 *
 * @throws AppError `validation_failed` if a restricted caller names no networks · `invalid_reference`
 */
async function requireFilter(
  { networks, tags }: Storage,
  { scope, visible }: { readonly scope: Scope; readonly visible: Scope },
  { network_ids, tag_ids }: WebhookFilter,
  before: WebhookFilter,
): Promise<void> {
  if (scope.networks !== "all" && network_ids.length === 0)
    throw validationFailed({
      path: "filter.network_ids",
      message: "must list networks that you have access to",
    });
  const named = { network_ids, tag_ids: tag_ids.filter(isId) };
  for (const [member, entities] of [
    ["network_ids", networks],
    ["tag_ids", tags],
  ] as const) {
    const fresh = named[member].filter((id) => !before[member].includes(id));
    if (fresh.length === 0) continue;
    const found = await entities.select(visible, { _id: { $in: fresh } }, { projection: { _id: 1 }, hint: BY_ID });
    const there = new Set(found.map(({ _id }) => _id));
    const missing = fresh.find((id) => !there.has(id));
    if (missing === undefined) continue;
    const all: readonly string[] = member === "network_ids" ? network_ids : tag_ids;
    throw new AppError("invalid_reference", { path: `filter.${member}.${all.indexOf(missing)}` });
  }
}
