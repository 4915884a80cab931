import {
  awaitCollectorJob,
  type CollectorJob,
  getOwnCollectorJob,
  listCollectorJobs,
  reportCollectorJob,
} from "@nts/shared/contract";
import { type CollectorPlan, endCollectorJobs, queueCollectorJob } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { mount, mountAny, type Router, type UserCall } from "@nts/shared/http/mount";
import { type ListPart, respond } from "@nts/shared/http/respond";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import { assign, assignmentOf, awaitWork } from "../collectors/assign.js";
import { takeReport } from "../collectors/reports.js";
import type { Waiting } from "../journal/waiting.js";
import type { ImportJobRunner } from "../imports/jobs/jobs.js";
import { type CollectorJobQuery, collectorJobOf, type CollectorKey } from "../storage/collector-jobs.js";
import type { Storage } from "../storage/storage.js";

/** Jobs read at a time. */
const CHUNK = 100;

export interface CollectorParts {
  readonly storage: Storage;
  readonly imports: ImportJobRunner;
  readonly waiting: Waiting;
}

export function mountCollectors(router: Router, { storage, imports, waiting }: CollectorParts): void {
  const { collectorJobs: jobs, importJobs } = storage;

  mount(router, listCollectorJobs, ({ scope, query }) => {
    const { limit, offset } = query;
    let next: string | null = null;
    const parts = rowsOf(scope, query, (cursor) => (next = cursor));
    return Promise.resolve(
      respond.list(parts, { total: () => jobs.count(scope, query), limit, offset, next: () => next }),
    );
  });

  async function* rowsOf(
    scope: Scope,
    query: CollectorJobQuery,
    onNext: (cursor: string) => void,
  ): AsyncGenerator<ListPart> {
    let left = query.limit === 0 ? Infinity : query.limit;
    for (let part: CollectorJobQuery = query; left > 0;) {
      const { jobs: found, next } = await jobs.page(scope, part, Math.min(CHUNK, left));
      if (found.length > 0)
        yield {
          text: Buffer.from(found.map((job) => `,${JSON.stringify(collectorJobOf(job))}`).join("")),
          rows: found.length,
        };
      left -= found.length;
      if (next === null) return;
      if (left === 0) onNext(next);
      part = { ...query, offset: 0, cursor: next };
    }
  }

  mount(router, awaitCollectorJob, async (call) => {
    const { principal, scope, query, work } = call;
    const { collector, plan } = await callerOf(principal, scope);
    // Its network is deleted, and soon the collector.
    if (collector === null) return respond.data(null);
    const job = await assign(jobs, collector, plan);
    if (job !== null) return respond.data(assignmentOf(job, plan));
    if (query.wait === 0 || work.isAbandoned()) return respond.data(null);
    return respond.jsonPieces(awaited(call, collector, plan));
  });

  /** Waits until asking again may yield a job. @throws AppError `too_many_in_flight` before the first piece */
  async function* awaited(
    { principal, scope, query: { wait }, work }: UserCall<typeof awaitCollectorJob>,
    collector: CollectorKey,
    plan: CollectorPlan,
  ): AsyncGenerator<string> {
    const waiter = waiting.begin(principal.userId, scope.organizationId, new Set());
    try {
      // The response begins at once, so that a long wait is no time-out.
      yield " ";
      await awaitWork(jobs, { collector, plan, work }, wait * 1_000);
    } finally {
      waiter.end();
    }
    yield "null";
  }

  mount(router, getOwnCollectorJob, async ({ principal, scope, params: { id } }) => {
    const { collector, plan } = await callerOf(principal, scope);
    const job = collector === null ? null : await jobs.find(collector, id);
    if (job === null) throw new AppError("not_found", { entity: "CollectorJob" });
    const assignment = assignmentOf(job, plan);
    if (assignment.is_cancelled && job.state === "running") await jobs.cancel(job);
    return respond.data(assignment, { volatile: true });
  });

  mount(router, reportCollectorJob, async (call) => {
    const { principal, scope, params, query, body, cause, work, log, idempotencyKey } = call;
    const { collector, plan } = await callerOf(principal, scope);
    if (collector === null) throw new AppError("not_found", { entity: "CollectorJob" });
    const { userId, credentialId } = principal;
    const receipt = await takeReport(jobs, imports, {
      ...{ collector, plan, jobId: params.id, key: idempotencyKey ?? "", isFinal: query.final },
      ...{ ageSeconds: query.age_seconds, body, scope, work, log },
      starter: { userId, keyId: credentialId, collectorId: collector.collector_id, requestId: cause.requestId },
    });
    return respond.data(receipt, receipt.is_repeated ? { headers: { "idempotency-replayed": "true" } } : {});
  });

  mountAny(router, queueCollectorJob, async ({ params, body }) => {
    const job = await jobs.queue({ ...body, organization_id: params.id, trigger: "request" });
    return respond.data<CollectorJob>(collectorJobOf(job));
  });

  mountAny(router, endCollectorJobs, async ({ params: { id }, query: { collector_id } }) => {
    await jobs.cancelAllOf(id, collector_id);
    await importJobs.endOf(id, { user_id: collector_id, key_id: null });
    return respond.data(null);
  });

  /** The calling collector; null if its network is deleted, of which identity may not know yet. */
  async function callerOf(
    { collector: plan, credentialId: collector_id }: UserPrincipal,
    scope: Scope,
  ): Promise<{ readonly collector: CollectorKey | null; readonly plan: CollectorPlan }> {
    if (plan === undefined) throw new AppError("permission_denied", { required: "collector" });
    const { organizationId: organization_id, networks } = scope;
    const [network_id = ""] = networks === "all" ? [] : networks;
    const isThere = network_id !== "" && (await storage.networks.find(scope, network_id)) !== null;
    return { collector: isThere ? { organization_id, network_id, collector_id } : null, plan };
  }
}
