import type { RevertJob } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import type { JobKey } from "../storage/job-blocks.js";
import { ACCESS_ENDED, type JobEnd, jobErrorOf, type JobMaker } from "../storage/open-jobs.js";
import { REVERT_INTERRUPTED, type RevertProgress } from "../storage/revert-jobs.js";
import type { Storage } from "../storage/storage.js";
import type { Counts } from "./large.js";

// Large reverts that no response waits for. A job belongs to the process that started it; if that dies, the job has failed, and the
// request can be reverted again.

/** Milliseconds after which a job says that it is alive, and notices that it is to stop. */
const EVERY_MS = 1_000;
/** How long a stopping process waits for the part that is being written. */
const STOP_MS = 6_000;

/** A large revert in its steps. */
export interface LargeSteps {
  /** Finds out what there is to revert. @returns how many entities */
  count(): Promise<number>;
  /** @returns what it would do @throws AppError if something prevents it */
  check(): Promise<Counts>;
  /** Reverts part by part, and yields how many entities each had. */
  revert(): AsyncGenerator<number, Counts>;
}

export interface StartedRevert {
  readonly organizationId: string;
  readonly maker: JobMaker;
  /** Of its own changes. */
  readonly requestId: string;
  /** What it reverts. */
  readonly reverts: string;
  readonly isDry: boolean;
  readonly steps: LargeSteps;
  readonly log: Log;
}

export interface RevertJobRunner {
  /** @throws AppError `too_many_in_flight` */
  start(revert: StartedRevert): Promise<RevertJob>;
  /** Stops the jobs of this process. */
  stop(): Promise<void>;
}

const ENDS: Readonly<Record<JobEnd | "interrupted", RevertProgress>> = {
  cancelled: { state: "cancelled" },
  access_ended: { state: "cancelled", error: ACCESS_ENDED },
  interrupted: { state: "failed", error: REVERT_INTERRUPTED },
};

interface Job {
  readonly key: JobKey;
  readonly revert: StartedRevert;
  end: JobEnd | "interrupted" | null;
}

export function createRevertJobRunner({ revertJobs }: Pick<Storage, "revertJobs">): RevertJobRunner {
  const running = new Map<Job, Promise<void>>();

  /** @returns whether the job is to stop */
  async function report(job: Job, progress: RevertProgress): Promise<boolean> {
    const end = await revertJobs.report(job.key, progress);
    job.end ??= end;
    return job.end !== null;
  }

  /** @returns null if it was stopped */
  async function run(job: Job): Promise<Counts | null> {
    const { steps, isDry } = job.revert;
    if (await report(job, { total: await steps.count() })) return null;
    const expected = await steps.check();
    if (isDry) return expected;
    const parts = steps.revert();
    let done = 0;
    for (;;) {
      if (await report(job, { done })) return null;
      const part = await parts.next();
      if (part.done === true) return part.value;
      done += part.value;
    }
  }

  async function outcomeOf(job: Job): Promise<RevertProgress> {
    const { reverts, log } = job.revert;
    const note = (cause: unknown): void => {
      log.error({ err: cause, job: job.key._id }, "a revert job failed");
    };
    try {
      const counts = await run(job);
      if (counts !== null) return { state: "done", result: { request_id: reverts, ...counts } };
    } catch (error) {
      if (job.end === null) return { state: "failed", error: jobErrorOf(error, note) };
    }
    return ENDS[job.end ?? "interrupted"];
  }

  async function follow(job: Job): Promise<void> {
    const { log } = job.revert;
    const onFault = (error: unknown): void => {
      log.warn({ err: error, job: job.key._id }, "the progress of a revert job could not be recorded");
    };
    const timer = setInterval(() => void report(job, {}).catch(onFault), EVERY_MS);
    try {
      const outcome = await outcomeOf(job);
      clearInterval(timer);
      await revertJobs.report(job.key, { ...outcome, ended_at: new Date() });
    } catch (error) {
      onFault(error);
    } finally {
      clearInterval(timer);
      running.delete(job);
    }
  }

  return {
    start: async (revert) => {
      const { organizationId, maker, requestId, reverts, isDry } = revert;
      const key = { _id: newId(), organization_id: organizationId };
      const created = await revertJobs.create({ ...key, ...maker, request_id: requestId, reverts, dry_run: isDry });
      const job: Job = { key, revert, end: null };
      running.set(job, follow(job));
      return created;
    },
    stop: async () => {
      for (const job of running.keys()) job.end ??= "interrupted";
      await waitAtMost(STOP_MS, Promise.all(running.values()));
    },
  };
}
