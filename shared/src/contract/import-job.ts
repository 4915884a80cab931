import { z } from "zod";
import { Id, Timestamp } from "./common.js";

// An import as a job: the response does not wait for it.

/** How long a job and its plan are kept. */
export const JOB_DAYS = 7;

/** The last three are final. */
export const JobState = z.enum(["queued", "running", "done", "failed", "cancelled"]).meta({ id: "JobState" });
export type JobState = z.infer<typeof JobState>;

/** Whether a job has ended. */
export function hasEnded({ state }: { readonly state: JobState }): boolean {
  return state !== "queued" && state !== "running";
}

/** A failure as in the response of an import that is no job. */
export const JobError = z
  .object({
    status: z.int().describe("The HTTP status that the response would have had."),
    code: z.string(),
    message: z.string(),
    params: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "ImportJobError" });

export const ImportJob = z
  .object({
    id: Id,
    state: JobState.describe("What it does, or how it ended."),
    network_id: Id,
    format: z.string().describe("The format the file was parsed as; until then, the requested one."),
    dry_run: z.boolean(),
    done: z.int().describe("Hosts that are done: written, unchanged or failed."),
    total: z.int().nullable().describe("Hosts in the file; null until it has been read."),
    error: JobError.nullable().describe("Why it ended early. The hosts that were done remain imported."),
    request_id: z.string().describe("The `request_id` of its changes, by which they are found and reverted."),
    user_id: Id.describe("Who started it."),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "ImportJob" });
export type ImportJob = z.infer<typeof ImportJob>;
