import { cancelImportJob, getImportJob, hasEnded, type ImportJob, listImportJobs } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { awaitEnd, CANCELLED_MS, findJob } from "../imports/jobs/await-end.js";
import type { Waiting } from "../journal/waiting.js";
import type { Storage } from "../storage/storage.js";

export function mountImportJobs(router: Router, { importJobs }: Storage, waiting: Waiting): void {
  mount(router, listImportJobs, async ({ scope }) => respond.data(await importJobs.list(scope)));

  mount(router, getImportJob, async (call) => {
    const { scope, params, query } = call;
    const job = await findJob(importJobs, scope, params.id);
    const isDue = hasEnded(job) || query.wait === 0;
    return respond.jsonPieces(isDue ? textOf(scope, job) : awaitedTextOf(call));
  });

  mount(router, cancelImportJob, async ({ scope, work, params: { id } }) => {
    await findJob(importJobs, scope, id);
    await importJobs.requestEnd(scope, id);
    return respond.data(await awaitEnd(importJobs, { scope, work, id }, CANCELLED_MS));
  });

  /** @throws AppError `too_many_in_flight` before the first piece */
  async function* awaitedTextOf({
    scope,
    work,
    params: { id },
    query: { wait },
    principal,
  }: UserCall<typeof getImportJob>): AsyncGenerator<string> {
    const waiter = waiting.begin(principal.userId, scope.organizationId, new Set());
    let job: ImportJob;
    try {
      // The response begins before the job has ended, so that a long wait is no time-out.
      yield " ";
      job = await awaitEnd(importJobs, { scope, work, id }, wait * 1_000);
    } finally {
      waiter.end();
    }
    yield* textOf(scope, job);
  }

  async function* textOf(scope: Scope, job: ImportJob): AsyncGenerator<string> {
    yield `${JSON.stringify(job).slice(0, -1)},"plan":`;
    let isEmpty = true;
    if (hasEnded(job) && job.state !== "failed")
      for await (const text of importJobs.planOf(job, scope)) {
        isEmpty = false;
        yield text;
      }
    yield isEmpty ? "null}" : "}";
  }
}
