import { setTimeout as delay } from "node:timers/promises";
import { cancelImportJob, getImportJob, hasEnded, type ImportJob, listImportJobs } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import { requireJob } from "../imports/jobs/jobs.js";
import type { Waiting } from "../journal/waiting.js";
import type { Storage } from "../storage/storage.js";

/** Milliseconds between looks at a job that is waited for. */
const LOOK_EVERY_MS = 300;
/** How long a cancellation waits for the job to end. */
const CANCELLED_MS = 4_000;

export function mountImportJobs(router: Router, { importJobs }: Storage, waiting: Waiting): void {
  mount(router, listImportJobs, async ({ scope }) => respond.data(await importJobs.list(scope)));

  mount(router, getImportJob, async (call) => {
    const { scope, params, query, principal } = call;
    const job = requireJob(await importJobs.find(scope, params.id));
    if (hasEnded(job) || query.wait === 0) return respond.jsonPieces(textOf(call, Promise.resolve(job)));
    const waiter = waiting.begin(principal.userId, scope.organizationId, new Set());
    const ended = awaited(call, job, query.wait * 1_000).finally(waiter.end);
    return respond.jsonPieces(textOf(call, ended));
  });

  mount(router, cancelImportJob, async (call) => {
    const { scope, params } = call;
    const job = requireJob(await importJobs.find(scope, params.id));
    await importJobs.requestEnd(scope, job.id);
    return respond.data(await awaited(call, job, CANCELLED_MS));
  });

  type Call = Pick<UserCall<typeof getImportJob>, "scope" | "work">;

  /** The job when it has ended, or as it is after a while. */
  async function awaited({ scope, work }: Call, job: ImportJob, ms: number): Promise<ImportJob> {
    const until = performance.now() + ms;
    let last: ImportJob | null = job;
    while (last !== null && !hasEnded(last) && !work.isAbandoned() && performance.now() < until) {
      await delay(LOOK_EVERY_MS);
      last = await importJobs.find(scope, job.id);
    }
    return last ?? job;
  }

  /** The response begins before the job has ended. */
  async function* textOf({ scope }: Call, ended: Promise<ImportJob>): AsyncGenerator<string> {
    // Before the job is there, so that long waits are no time-outs.
    yield "{";
    const job = await ended;
    yield `${JSON.stringify(job).slice(1, -1)},"plan":`;
    let isEmpty = true;
    if (hasEnded(job) && job.state !== "failed")
      for await (const text of importJobs.planOf(job, scope)) {
        isEmpty = false;
        yield text;
      }
    yield isEmpty ? "null}" : "}";
  }
}
