import { hasEnded, type ImportJob } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import type { ImportJobs } from "../../storage/import-jobs.js";
import type { OpenJobs } from "../../storage/open-jobs.js";

/** Milliseconds between looks at a job that is waited for: small ones end soon. */
const FIRST_MS = 20;
const LOOK_EVERY_MS = 100;
/** How long a cancellation waits for the job to end. */
export const CANCELLED_MS = 4_000;

interface Waiting {
  readonly scope: Scope;
  readonly work: Pick<Work, "isAbandoned">;
  readonly id: string;
}

/** The job when it has ended, or as it is after a while. @throws AppError `not_found` */
export function awaitEnd(
  jobs: Pick<ImportJobs, "find" | "pause">,
  { scope, work, id }: Waiting,
  ms: number,
): Promise<ImportJob> {
  return untilEnd(jobs, { work, id, find: () => findJob(jobs, scope, id) }, ms);
}

/** A job that is waited for, and how it is found. */
interface Awaited<Job> extends Omit<Waiting, "scope"> {
  readonly find: () => Promise<Job>;
}

/** What is found when the job has ended, or after a while. */
export async function untilEnd<Job extends Pick<ImportJob, "state">>(
  jobs: Pick<OpenJobs, "pause">,
  { find, work, id }: Awaited<Job>,
  ms: number,
): Promise<Job> {
  const until = performance.now() + ms;
  for (let pause = FIRST_MS; ; pause = Math.min(1.5 * pause, LOOK_EVERY_MS)) {
    const job = await find();
    if (hasEnded(job) || work.isAbandoned() || performance.now() >= until) return job;
    await jobs.pause(id, pause);
  }
}

/** @throws AppError `not_found` */
export async function findJob(jobs: Pick<ImportJobs, "find">, scope: Scope, id: string): Promise<ImportJob> {
  const job = await jobs.find(scope, id);
  if (job === null) throw new AppError("not_found", { entity: "ImportJob" });
  return job;
}
