import type { Db } from "mongodb";
import { JOB_DAYS, type RevertJob } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { BY_ID, JOBS_INDEX } from "./indexes.js";
import { expiry, type JobKey } from "./job-blocks.js";
import {
  createOpenJobs,
  type JobEnd,
  type JobError,
  type JobMaker,
  type OpenJobDocument,
  type OpenJobs,
} from "./open-jobs.js";
import { scopedCollection } from "./scoped-collection.js";

// Jobs of large reverts. They expire.

/** Jobs of an organization that run at the same time, about: several processes may start some at the same moment. */
const MOST_RUNNING = 2;
/** Jobs kept of an organization; older ones are dropped. */
const MOST_JOBS = 200;

export const REVERT_INTERRUPTED: JobError = {
  status: 503,
  code: "unavailable",
  message: "The revert was interrupted. What was reverted stays so; revert the request again for the rest.",
  params: {},
};

interface RevertJobDocument extends OpenJobDocument {
  request_id: string;
  reverts: string;
  dry_run: boolean;
  done: number;
  total: number | null;
  result: RevertJob["result"];
  created_at: Date;
  started_at: Date | null;
  expires_at: Date;
}

/** What is known of a job when it is created. */
export type NewRevertJob = Pick<
  RevertJobDocument,
  "_id" | "organization_id" | "user_id" | "key_id" | "request_id" | "reverts" | "dry_run"
>;

/** What changes while a job runs. */
export type RevertProgress = Partial<
  Pick<RevertJobDocument, "state" | "done" | "total" | "result" | "error" | "started_at" | "ended_at">
>;

export interface RevertJobs extends Pick<OpenJobs, "endOf" | "pause"> {
  /** Creates a running job. @throws AppError `too_many_in_flight` */
  create(job: NewRevertJob): Promise<RevertJob>;
  /** Those of a user, or of one of the user's keys, newest first. */
  list(organizationId: string, maker: JobMaker): Promise<RevertJob[]>;
  find(organizationId: string, maker: JobMaker, id: string): Promise<RevertJob | null>;
  /** Asks a job to stop. */
  requestEnd(organizationId: string, maker: JobMaker, id: string): Promise<void>;
  /** Records progress of a job of this process that has not ended. @returns why it is to stop; null if it is not */
  report(job: JobKey, progress: RevertProgress): Promise<JobEnd | null>;
}

export function createRevertJobs(db: Db): RevertJobs {
  const jobs = scopedCollection<RevertJobDocument>(db, "revert_jobs");
  const open = createOpenJobs(db, "revert_jobs", REVERT_INTERRUPTED);

  async function dropOldest(organization_id: string): Promise<void> {
    const options = {
      projection: { _id: 1 },
      sort: { created_at: -1 },
      skip: MOST_JOBS,
      hint: JOBS_INDEX,
    } as const;
    const surplus = await jobs.find({ organization_id }, options).toArray();
    if (surplus.length > 0) await jobs.deleteMany({ organization_id, _id: { $in: surplus.map(({ _id }) => _id) } });
  }

  return {
    create: async (job) => {
      const { organization_id } = job;
      await open.failInterrupted(organization_id);
      if ((await open.count(organization_id)) >= MOST_RUNNING)
        throw new AppError("too_many_in_flight", { of: "organization", retry_after_seconds: 5 });
      await dropOldest(organization_id);
      const now = new Date();
      const created: RevertJobDocument = {
        ...job,
        state: "running",
        done: 0,
        total: null,
        result: null,
        error: null,
        created_at: now,
        started_at: now,
        ended_at: null,
        alive_at: now,
        expires_at: expiry(JOB_DAYS),
      };
      await jobs.insertMany([created]);
      return jobOf(created);
    },
    list: async (organization_id, maker) => {
      await open.failInterrupted(organization_id);
      const options = { sort: { created_at: -1 }, limit: MOST_JOBS, hint: JOBS_INDEX } as const;
      return (await jobs.find({ organization_id, ...madeBy(maker) }, options).toArray()).map(jobOf);
    },
    requestEnd: async (organization_id, maker, _id) => {
      await jobs.updateOne({ organization_id, ...madeBy(maker), _id }, { $set: { end: "cancelled" } });
    },
    find: async (organization_id, maker, _id) => {
      const made = { organization_id, ...madeBy(maker), _id };
      const found = await jobs.findOne(made, { hint: BY_ID });
      if (found === null || !open.isInterrupted(found)) return found && jobOf(found);
      await open.failInterrupted(organization_id);
      const failed = await jobs.findOne(made, { hint: BY_ID });
      return failed && jobOf(failed);
    },
    report: open.report,
    endOf: open.endOf,
    pause: open.pause,
  };
}

function madeBy({ user_id, key_id }: JobMaker): { readonly user_id: string; readonly key_id?: string } {
  return { user_id, ...(key_id !== null && { key_id }) };
}

function jobOf({ _id: id, created_at, started_at, ended_at, ...job }: RevertJobDocument): RevertJob {
  const { state, reverts, dry_run, done, total, result, error, request_id, user_id } = job;
  return {
    ...{ id, state, reverts, dry_run, done, total, result, error, request_id, user_id },
    created_at: created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  };
}
