import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Db } from "mongodb";
import { type ImportJob, JOB_DAYS } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID, IMPORT_JOBS_OF_INDEX, JOBS_INDEX } from "./indexes.js";
import { createJobBlocks, expiry, type JobBlocks, type JobKey } from "./job-blocks.js";
import { createOpenJobs, type JobEnd, type JobError, type OpenJobDocument, type OpenJobs } from "./open-jobs.js";
import { within } from "./scope.js";
import { scopedCollection } from "./scoped-collection.js";

// Import jobs with their plans, and the files of those that wait. All expire.

/** What is kept of jobs; older ones are dropped. */
interface Kept {
  readonly jobs: number;
  /** Of their compressed plans. */
  readonly planBytes: number;
}

/** Of the people of an organization, and of each of its collectors, whose jobs displace no others. */
export const KEPT_OF_PEOPLE: Kept = { jobs: 200, planBytes: 64 * 1_048_576 };
export const KEPT_OF_COLLECTOR: Kept = { jobs: 50, planBytes: 4 * 1_048_576 };
/** Characters of a plan per block. */
const PLAN_LENGTH = 1_048_576;
/** Days for which the file of a waiting job is kept, if its process dies. */
const FILE_DAYS = 1;

export const INTERRUPTED: JobError = {
  status: 503,
  code: "unavailable",
  message:
    "The import was interrupted. The hosts that were done remain imported; import the file again for the others.",
  params: {},
};

interface JobDocument extends OpenJobDocument {
  network_id: string;
  request_id: string;
  format: string;
  dry_run: boolean;
  done: number;
  total: number | null;
  created_at: Date;
  started_at: Date | null;
  /** Of its compressed plan. */
  plan_bytes: number;
  /** The collector whose report it imports; null for people. */
  collector_id: string | null;
  expires_at: Date;
}

/** What is known of a job when it is created. */
export type NewJob = Pick<
  JobDocument,
  "_id" | "organization_id" | "network_id" | "user_id" | "key_id" | "collector_id" | "request_id" | "format" | "dry_run"
>;

/** What changes while a job runs. */
export type JobProgress = Partial<
  Pick<JobDocument, "state" | "format" | "done" | "total" | "error" | "started_at" | "ended_at">
>;

export interface ImportJobs extends Pick<OpenJobs, "endOf" | "pause"> {
  /** Creates a queued job, and drops the oldest ones of the organization's people, or of the collector. */
  create(job: NewJob): Promise<ImportJob>;
  /** Those in a caller's networks, newest first: of people, and as many of collectors. */
  list(scope: Scope): Promise<ImportJob[]>;
  /** A job in a caller's networks. */
  find(scope: Scope, id: string): Promise<ImportJob | null>;
  /** Records progress of a job of this process that has not ended. @returns why it is to stop; null if it is not */
  report(job: JobKey, progress: JobProgress): Promise<JobEnd | null>;
  /** Asks a job to stop. */
  requestEnd(scope: Scope, id: string): Promise<void>;
  /** Keeps the text of a plan while it is written. */
  planWriter(job: JobKey): { add(text: string): Promise<void>; end(): Promise<void> };
  /** The text of a plan in pieces; empty if there is none. */
  planOf(job: Pick<ImportJob, "id">, scope: Scope): AsyncGenerator<string>;
  /** Keeps the file of a waiting job. @see JobBlocks */
  keepFile: JobBlocks["addFile"];
  fileOf(job: JobKey): AsyncGenerator<Buffer>;
  dropFile(job: JobKey): Promise<void>;
  /** Removes a job that was not begun. */
  remove(job: JobKey): Promise<void>;
}

export function createImportJobs(db: Db): ImportJobs {
  const jobs = scopedCollection<JobDocument>(db, "import_jobs");
  const open = createOpenJobs(db, "import_jobs", INTERRUPTED);
  const plans = createJobBlocks(db, "import_plans", JOB_DAYS);
  const files = createJobBlocks(db, "import_files", FILE_DAYS);

  /** Bounds what an organization keeps of its people's jobs, or of a collector's. */
  async function dropOldest({ organization_id, collector_id }: NewJob): Promise<void> {
    const most = collector_id === null ? KEPT_OF_PEOPLE : KEPT_OF_COLLECTOR;
    const options = { projection: { plan_bytes: 1 }, sort: { created_at: -1 }, hint: IMPORT_JOBS_OF_INDEX } as const;
    const kept = await jobs.find({ organization_id, collector_id }, options).toArray();
    const surplus = kept.slice(most.jobs).map(({ _id }) => _id);
    let room = most.planBytes;
    const large = kept.filter(({ plan_bytes }) => plan_bytes > 0 && (room -= plan_bytes) < 0).map(({ _id }) => _id);
    const dropped = [...new Set([...surplus, ...large])];
    if (dropped.length === 0) return;
    await plans.remove(organization_id, dropped);
    await jobs.updateMany({ organization_id, _id: { $in: large } }, { $set: { plan_bytes: 0 } });
    if (surplus.length > 0) await jobs.deleteMany({ organization_id, _id: { $in: surplus } });
  }

  return {
    create: async (job) => {
      await dropOldest(job);
      const now = new Date();
      const created: JobDocument = {
        ...job,
        state: "queued",
        done: 0,
        total: null,
        error: null,
        created_at: now,
        started_at: null,
        ended_at: null,
        alive_at: now,
        plan_bytes: 0,
        expires_at: expiry(JOB_DAYS),
      };
      await jobs.insertMany([created]);
      return jobOf(created);
    },
    list: async (scope) => {
      await open.failInterrupted(scope.organizationId);
      const options = { sort: { created_at: -1 }, limit: KEPT_OF_PEOPLE.jobs } as const;
      const ofPeople = { ...options, hint: IMPORT_JOBS_OF_INDEX };
      const ofCollectors = { ...options, hint: JOBS_INDEX };
      const found = await Promise.all([
        jobs.find({ ...within(scope), collector_id: null }, ofPeople).toArray(),
        jobs.find({ ...within(scope), collector_id: { $ne: null } }, ofCollectors).toArray(),
      ]);
      return found
        .flat()
        .sort((a, b) => b.created_at.getTime() - a.created_at.getTime())
        .map(jobOf);
    },
    find: async (scope, _id) => {
      const found = await jobs.findOne({ ...within(scope), _id }, { hint: BY_ID });
      if (found === null) return null;
      if (!open.isInterrupted(found)) return jobOf(found);
      await open.failInterrupted(scope.organizationId);
      const failed = await jobs.findOne({ ...within(scope), _id }, { hint: BY_ID });
      return failed === null ? null : jobOf(failed);
    },
    report: open.report,
    requestEnd: async (scope, _id) => {
      await jobs.updateOne({ ...within(scope), _id }, { $set: { end: "cancelled" } });
    },
    endOf: open.endOf,
    pause: open.pause,
    planWriter: (job) => {
      let n = 0;
      let held: string[] = [];
      let length = 0;
      const flush = async (): Promise<void> => {
        if (held.length === 0) return;
        const data = deflateRawSync(held.join(""), { level: 1 });
        held = [];
        length = 0;
        const { _id, organization_id } = job;
        // Counted at once, so that what an interrupted job leaves is counted, too.
        await jobs.updateOne({ _id, organization_id }, { $inc: { plan_bytes: data.length } });
        await plans.add(job, n++, data);
      };
      return {
        add: async (text) => {
          held.push(text);
          length += text.length;
          if (length >= PLAN_LENGTH) await flush();
        },
        end: flush,
      };
    },
    planOf: async function* ({ id }, { organizationId }) {
      for await (const data of plans.read({ _id: id, organization_id: organizationId }))
        yield inflateRawSync(data).toString();
    },
    keepFile: files.addFile,
    fileOf: files.read,
    dropFile: ({ _id, organization_id }) => files.remove(organization_id, [_id]),
    remove: async ({ _id, organization_id }) => {
      await jobs.deleteMany({ _id, organization_id });
    },
  };
}

function jobOf({ _id: id, created_at, started_at, ended_at, ...job }: JobDocument): ImportJob {
  const { state, network_id, format, dry_run, done, total, error, request_id, user_id } = job;
  return {
    ...{ id, state, network_id, format, dry_run, done, total, error, request_id, user_id },
    created_at: created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  };
}
