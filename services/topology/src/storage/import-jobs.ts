import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Db } from "mongodb";
import { type ImportJob, JOB_DAYS } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID, IMPORT_JOBS_INDEX } from "./indexes.js";
import { createJobBlocks, expiry, type JobKey } from "./job-blocks.js";
import { createOpenJobs, type JobEnd, type JobError, type OpenJobDocument, type OpenJobs } from "./open-jobs.js";
import { within } from "./scope.js";
import { scopedCollection } from "./scoped-collection.js";

// Import jobs with their plans, and the files of those that wait. All expire.

/** Jobs kept of an organization, and bytes of their compressed plans; older ones are dropped. */
export const MOST_JOBS = 200;
export const MOST_PLAN_BYTES = 64 * 1_048_576;
/** Bytes of a file, and characters of a plan, per block. */
const FILE_BYTES = 4 * 1_048_576;
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
  expires_at: Date;
}

/** What is known of a job when it is created. */
export type NewJob = Pick<
  JobDocument,
  "_id" | "organization_id" | "network_id" | "user_id" | "key_id" | "request_id" | "format" | "dry_run"
>;

/** What changes while a job runs. */
export type JobProgress = Partial<
  Pick<JobDocument, "state" | "format" | "done" | "total" | "error" | "started_at" | "ended_at">
>;

export interface ImportJobs extends Pick<OpenJobs, "endOf"> {
  /** Creates a queued job, and drops the oldest ones of the organization. */
  create(job: NewJob): Promise<ImportJob>;
  /** Those in a caller's networks, newest first. */
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
  /** Keeps the file of a waiting job. */
  keepFile(job: JobKey, blocks: readonly Uint8Array[]): Promise<void>;
  fileOf(job: JobKey): Promise<Uint8Array<ArrayBuffer>[]>;
  dropFile(job: JobKey): Promise<void>;
  /** Removes a job that was not begun. */
  remove(job: JobKey): Promise<void>;
}

export function createImportJobs(db: Db): ImportJobs {
  const jobs = scopedCollection<JobDocument>(db, "import_jobs");
  const open = createOpenJobs(db, "import_jobs", INTERRUPTED);
  const plans = createJobBlocks(db, "import_plans", JOB_DAYS);
  const files = createJobBlocks(db, "import_files", FILE_DAYS);

  /** Bounds what an organization keeps. */
  async function dropOldest(organization_id: string): Promise<void> {
    const kept = await jobs
      .find({ organization_id }, { projection: { plan_bytes: 1 }, sort: { created_at: -1 }, hint: IMPORT_JOBS_INDEX })
      .toArray();
    const surplus = kept.slice(MOST_JOBS).map(({ _id }) => _id);
    let room = MOST_PLAN_BYTES;
    const large = kept.filter(({ plan_bytes }) => plan_bytes > 0 && (room -= plan_bytes) < 0).map(({ _id }) => _id);
    const dropped = [...new Set([...surplus, ...large])];
    if (dropped.length === 0) return;
    await plans.remove(organization_id, dropped);
    await jobs.updateMany({ organization_id, _id: { $in: large } }, { $set: { plan_bytes: 0 } });
    if (surplus.length > 0) await jobs.deleteMany({ organization_id, _id: { $in: surplus } });
  }

  return {
    create: async (job) => {
      await dropOldest(job.organization_id);
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
      const found = await jobs
        .find(within(scope), { sort: { created_at: -1 }, limit: MOST_JOBS, hint: IMPORT_JOBS_INDEX })
        .toArray();
      return found.map(jobOf);
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
    keepFile: async (job, blocks) => {
      const whole = Buffer.concat(blocks);
      for (let n = 0; n * FILE_BYTES < whole.length; n++)
        await files.add(job, n, whole.subarray(n * FILE_BYTES, (n + 1) * FILE_BYTES));
    },
    fileOf: async (job) => {
      const blocks: Uint8Array<ArrayBuffer>[] = [];
      // Copied, because blocks are transferred to a thread.
      for await (const data of files.read(job)) blocks.push(new Uint8Array(data));
      return blocks;
    },
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
