import { createCollectorKey, createEnrolmentToken, isEnrolmentToken } from "@nts/shared/api-key";
import {
  announceCollector,
  createCollector,
  deleteCollector,
  enrolCollector,
  ENROLMENT_HOURS,
  getCollector,
  listCollectors,
  MOST_COLLECTORS,
  patchCollector,
  renewCollectorToken,
  rotateCollectorKey,
  runCollector,
  updateCollector,
} from "@nts/shared/contract/collectors";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import { mountUpdate } from "@nts/shared/http/mount-update";
import { respond } from "@nts/shared/http/respond";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import type { Log } from "@nts/shared/log";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import { requireRevision } from "@nts/shared/revision";
import { respondWithList } from "../flows/respond-with-list.js";
import {
  type CollectorDocument,
  collectorChanges,
  collectorResponse,
  LEAST_KEY_MS,
  newCollectorSettings,
  notReady,
  planOf,
  requestedTargets,
  rotatedKey,
  rotationOf,
} from "../model/collector.rules.js";
import { maxLifetimeOf } from "../model/organization.js";
import type { ChangeRights } from "../rights/change-rights.js";
import type { CollectorStore } from "../storage/collectors.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { untilSaved } from "../storage/until-saved.js";
import type { TopologyDirectory } from "../topology/directory.js";

export interface CollectorRoutes {
  readonly collectors: CollectorStore;
  readonly organizations: Pick<OrganizationStore, "get" | "find" | "lockCounts">;
  readonly topology: Pick<TopologyDirectory, "networksIn" | "queueCollectorJob" | "endCollectorJobs">;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
  readonly log: Log;
}

const TOKEN_MS = ENROLMENT_HOURS * 3_600_000;

export function mountCollectors(router: Router, routes: CollectorRoutes): void {
  mountReads(router, routes);
  mountCreation(router, routes);
  mountSettings(router, routes);
  mountRun(router, routes);
  mountEnrolment(router, routes);
  mountOwn(router, routes);
}

/** @throws AppError `not_found` */
async function get({ collectors }: CollectorRoutes, scope: Scope, id: string): Promise<CollectorDocument> {
  const found = await collectors.find(scope, id);
  if (found === null) throw new AppError("not_found", { entity: "Collector" });
  return found;
}

/** A new token, and what is stored of it. */
function newToken(): { readonly secret: string; readonly token: NonNullable<CollectorDocument["token"]> } {
  const secret = createEnrolmentToken();
  const expires_at = new Date(Date.now() + TOKEN_MS);
  return { secret, token: { hash: hashCredential(secret), expires_at, used_at: null } };
}

function mountReads(router: Router, routes: CollectorRoutes): void {
  const { collectors } = routes;

  mount(router, listCollectors, ({ scope, query, work }) => {
    const list = collectors.list(scope, query);
    return Promise.resolve(
      respondWithList(list, work, () => (collector: CollectorDocument) => collectorResponse(collector, new Date())),
    );
  });

  mount(router, getCollector, async ({ scope, params: { id } }) => {
    const found = await get(routes, scope, id);
    return respond.data(collectorResponse(found, new Date()), { revision: found.revision, volatile: true });
  });
}

function mountCreation(router: Router, routes: CollectorRoutes): void {
  const { collectors, organizations, topology, transaction, changeRights } = routes;

  mount(router, createCollector, async ({ principal, scope, body, cause, work }) => {
    const { organizationId } = scope;
    if (!(await topology.networksIn(scope, cause)).includes(body.network_id))
      throw new AppError("invalid_reference", { path: "network_id" });
    const now = new Date();
    const { secret, token } = newToken();
    const collector: CollectorDocument = {
      _id: newId(),
      created_at: now,
      updated_at: now,
      revision: 1,
      organization_id: organizationId,
      network_id: body.network_id,
      user_id: principal.userId,
      ...newCollectorSettings(body, now),
      token,
      key: null,
      hostname: null,
      version: null,
      senses: [],
      enrolled_at: null,
      last_seen_at: null,
    };
    await transaction(work, [`collectors:${organizationId}`], async (tx) => {
      if (!(await organizations.lockCounts(organizationId, tx)))
        throw new AppError("not_found", { entity: "Organization" });
      const quota = { entity: "Collector", limit: MOST_COLLECTORS, unverified: UNVERIFIED_QUOTAS.collectors };
      requireRoomFor(await collectors.count(organizationId, tx), quota, scope.isUnverified);
      await collectors.insert(collector, tx);
    });
    return respond.data({ collector: collectorResponse(collector, now), token: secret });
  });

  mount(router, renewCollectorToken, async ({ scope, params: { id }, work }) => {
    const { secret, token } = newToken();
    const saved = await untilSaved(work, async () => {
      const current = await get(routes, scope, id);
      return changeRights(work, [id], (tx) => collectors.change(current, { token }, { tx, action: "rotated" }));
    });
    return respond.data({ collector: collectorResponse(saved, new Date()), token: secret });
  });
}

function mountSettings(router: Router, routes: CollectorRoutes): void {
  const { collectors, changeRights, topology, log } = routes;

  mountUpdate(router, { put: updateCollector, patch: patchCollector }, async (call) => {
    const { scope, params, requestedState, precondition, work } = call;
    const saved = await untilSaved(work, async () => {
      const current = await get(routes, scope, params.id);
      requireRevision(precondition, current.revision);
      const now = new Date();
      const changes = collectorChanges(current, requestedState(collectorResponse(current, now)), now);
      if (Object.keys(changes).length === 0) return current;
      // Gateways hold the settings with the key, so that jobs follow them from the response on.
      return changeRights(work, [params.id], (tx) => collectors.update(current, changes, tx));
    });
    if (!saved.is_enabled) await endJobs(saved);
    return respond.data(collectorResponse(saved, new Date()), { revision: saved.revision, volatile: true });
  });

  mount(router, deleteCollector, async ({ scope, params: { id }, precondition, work }) => {
    const removed = await untilSaved(work, async () => {
      const current = await get(routes, scope, id);
      requireRevision(precondition, current.revision);
      const done = await changeRights(work, [id], (tx) => collectors.remove(current, tx));
      return done === "conflict" ? "conflict" : current;
    });
    await endJobs(removed);
    return respond.data(null);
  });

  /** Its key is refused already, so they would end by their deadlines. */
  async function endJobs({ _id, organization_id }: CollectorDocument): Promise<void> {
    await topology.endCollectorJobs(organization_id, _id).catch((error: unknown) => {
      log.warn({ err: error, collector_id: _id }, "the jobs of a collector end by their deadlines");
    });
  }
}

function mountRun(router: Router, routes: CollectorRoutes): void {
  mount(router, runCollector, async ({ principal, scope, params: { id }, body, cause }) => {
    const collector = await get(routes, scope, id);
    const targets = requestedTargets(collector, body.targets);
    const reason = notReady(collector, new Date());
    if (reason !== null) throw new AppError("collector_not_ready", { ...reason });
    const { packets_per_second, senses } = planOf(collector);
    const job = {
      ...{ collector_id: id, network_id: collector.network_id, targets, packets_per_second, senses },
      requested_by: actorIn(principal),
    };
    return respond.data(await routes.topology.queueCollectorJob(scope.organizationId, job, cause));
  });
}

function actorIn({ kind, userId, credentialId, email }: UserPrincipal) {
  return { user_id: userId, key_id: kind === "key" ? credentialId : null, email: email ?? null };
}

function mountEnrolment(router: Router, routes: CollectorRoutes): void {
  const { collectors, organizations, changeRights } = routes;

  mountAny(router, enrolCollector, async ({ body: { token: given, ...said }, work }) => {
    const hash = hashCredential(given);
    const key = createCollectorKey();
    const saved = await untilSaved(work, async () => {
      const current = isEnrolmentToken(given) ? await collectors.findByToken(hash) : null;
      const now = new Date();
      requireGood(current, now);
      if ((await organizations.find(current.organization_id)) === null) throw invalid("unknown");
      const enrolled = {
        ...said,
        token: { ...current.token, used_at: now },
        key: { hash: hashCredential(key), issued_at: now, previous: [] },
        enrolled_at: now,
        last_seen_at: now,
      };
      const unused = { "token.hash": hash, "token.used_at": null };
      return changeRights(work, [current._id], (tx) =>
        collectors.change(current, enrolled, { tx, action: "enrolled", if: unused }),
      );
    });
    return respond.data({ collector: collectorResponse(saved, new Date()), key });
  });
}

type WithToken = CollectorDocument & Required<Pick<CollectorDocument, "token">>;

/** @throws AppError `enrolment_token_invalid` */
function requireGood(collector: CollectorDocument | null, now: Date): asserts collector is WithToken {
  if (collector?.token === undefined) throw invalid("unknown");
  if (collector.token.used_at !== null) throw invalid("used");
  if (collector.token.expires_at <= now) throw invalid("expired");
}

function invalid(reason: "unknown" | "used" | "expired"): AppError {
  return new AppError("enrolment_token_invalid", { reason });
}

/** Operations of a collector on itself. */
function mountOwn(router: Router, routes: CollectorRoutes): void {
  const { collectors, organizations, changeRights } = routes;
  const own = ({ scope, credentialId }: UserPrincipal) => get(routes, scope, credentialId);

  mount(router, announceCollector, async ({ principal, scope, body }) => {
    const current = await own(principal);
    await collectors.describe(current, body);
    if (current.key === null) throw new AppError("api_key_invalid");
    const maxDays = maxLifetimeOf(await organizations.get(scope.organizationId));
    const at = rotationOf(current.key, maxDays);
    return respond.data({
      collector: collectorResponse({ ...current, ...body }, new Date()),
      key_rotates_at: at.toISOString(),
      rotate_in_seconds: Math.max(0, Math.ceil((at.getTime() - Date.now()) / 1_000)),
    });
  });

  mount(router, rotateCollectorKey, async ({ principal, work }) => {
    const secret = createCollectorKey();
    await untilSaved(work, async () => {
      const current = await own(principal);
      if (current.key === null) throw new AppError("api_key_invalid");
      const { hash, issued_at } = current.key;
      const now = new Date();
      const waitMs = issued_at.getTime() + LEAST_KEY_MS - now.getTime();
      if (waitMs > 0) throw new AppError("rate_limited", { retry_after_seconds: Math.ceil(waitMs / 1_000) });
      const key = rotatedKey(current.key, hashCredential(secret), now);
      return changeRights(work, [current._id], (tx) =>
        collectors.change(current, { key }, { tx, action: "rotated", if: { "key.hash": hash } }),
      );
    });
    return respond.data({ key: secret });
  });
}
