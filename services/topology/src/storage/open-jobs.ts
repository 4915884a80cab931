import { EventEmitter } from "node:events";
import type { Db } from "mongodb";
import { hasEnded, type ImportJob } from "@nts/shared/contract";
import { STATUSES } from "@nts/shared/http/statuses";
import { asAppError } from "@nts/shared/mongo/faults";
import type { JobKey } from "./job-blocks.js";
import { scopedCollection } from "./scoped-collection.js";

// What all jobs have in common: each belongs to a process, which says that it is alive, and learns whether the job is to stop.

/** A job whose process has not said for so long that it is alive has been interrupted. */
const SILENT_MS = 15_000;

/** Why a job is to stop. */
export type JobEnd = "cancelled" | "access_ended";

export type JobError = NonNullable<ImportJob["error"]>;

export const ACCESS_ENDED: JobError = {
  status: 403,
  code: "permission_denied",
  message: "The access of who started it has ended, or was reduced.",
  params: {},
};

export interface OpenJobDocument {
  _id: string;
  organization_id: string;
  user_id: string;
  key_id: string | null;
  state: ImportJob["state"];
  error: JobError | null;
  ended_at: Date | null;
  /** When its process last said that it is alive. */
  alive_at: Date;
  /** Set when it is to stop. */
  end?: JobEnd;
}

/** A failure as a job keeps it. @param note receives the cause of an internal one */
export function jobErrorOf(error: unknown, note: (cause: unknown) => void): JobError {
  const { code, message, params, cause } = asAppError(error);
  if (code === "internal_error") note(cause ?? error);
  return { status: STATUSES[code], code, message, params };
}

/** Of a job that has not ended. */
const OPEN = { state: { $in: ["queued" as const, "running" as const] } };

/** Who has started jobs: a user, or one key of the user. */
export interface JobMaker {
  readonly user_id: string;
  readonly key_id: string | null;
}

export interface OpenJobs {
  /** How many of an organization have not ended. */
  count(organizationId: string): Promise<number>;
  /** Marks jobs whose process has died as failed. */
  failInterrupted(organizationId: string): Promise<void>;
  /** True if the process of a job that has not ended has died. */
  isInterrupted(job: Pick<OpenJobDocument, "state" | "alive_at">): boolean;
  /** Records progress of a job of this process that has not ended. @returns why it is to stop; null if it is not */
  report(job: JobKey, progress: object): Promise<JobEnd | null>;
  /** Resolves after a while, or as soon as this process has recorded the end of the job. */
  pause(id: string, ms: number): Promise<void>;
  /** Asks all jobs of a maker to stop, because their access has ended. */
  endOf(organizationId: string, maker: JobMaker): Promise<void>;
}

/** @param interrupted the error of a job whose process has died */
export function createOpenJobs(db: Db, collection: string, interrupted: JobError): OpenJobs {
  const jobs = scopedCollection<OpenJobDocument>(db, collection);
  const ends = new EventEmitter<Record<string, []>>().setMaxListeners(0);
  return {
    count: (organization_id) => jobs.countDocuments({ organization_id, ...OPEN }),
    failInterrupted: async (organization_id) => {
      const silent = { ...OPEN, alive_at: { $lt: new Date(Date.now() - SILENT_MS) } };
      const failed = { state: "failed", error: interrupted, ended_at: new Date() } as const;
      await jobs.updateMany({ organization_id, ...silent }, { $set: failed });
    },
    isInterrupted: (job) => !hasEnded(job) && job.alive_at.getTime() < Date.now() - SILENT_MS,
    report: async ({ _id, organization_id }, progress) => {
      const found = await jobs.findOneAndUpdate(
        { _id, organization_id, ...OPEN },
        { $set: { ...progress, alive_at: new Date() } },
        { projection: { end: 1 } },
      );
      if ("ended_at" in progress) ends.emit(_id);
      // Others have given it up, or its organization is deleted.
      return found === null ? "cancelled" : (found.end ?? null);
    },
    pause: (id, ms) =>
      new Promise((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          ends.off(id, go);
          resolve();
        };
        const timer = setTimeout(go, ms);
        ends.on(id, go);
      }),
    endOf: async (organization_id, { user_id, key_id }) => {
      const made = { organization_id, user_id, ...(key_id !== null && { key_id }) };
      await jobs.updateMany({ ...made, ...OPEN }, { $set: { end: "access_ended" } });
    },
  };
}
