import { z } from "zod";
import { Id, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { JOB_DAYS, JobError, JobState } from "./import-job.js";
import { LONGEST_JOB_WAIT_SECONDS } from "./import-jobs.js";
import { Reverted } from "./reverted.js";

// The revert of a large request as a job: the response does not wait for it. @see docs/changes.md

export const RevertJob = z
  .object({
    id: Id,
    state: JobState.describe("What it does, or how it ended."),
    reverts: z.string().describe("The `request_id` whose changes are reverted."),
    dry_run: z.boolean().describe("It only checks, and its `result` is what would be done."),
    done: z.int().describe("Entities that are reverted."),
    total: z.int().nullable().describe("Entities that the request changed; null until they have been counted."),
    result: Reverted.nullable().describe("Null until it is done."),
    error: JobError.nullable().describe(
      "Why it ended early: of a conflict, before anything was reverted; otherwise what was reverted stays so, and a repeated revert does the rest.",
    ),
    request_id: z.string().describe("The `request_id` of its own changes."),
    user_id: Id.describe("Who started it."),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "RevertJob" });
export type RevertJob = z.infer<typeof RevertJob>;

const common = { upstream: "topology", credential: "any", tag: "Changes" } as const;
const params = z.object({ id: Id });
const OWN = "Only one's own; keys with restricted networks see their own jobs only.";

export const listRevertJobs = endpoint({
  ...common,
  operationId: "list_revert_jobs",
  method: "get",
  path: "/api/v1/changes/reverts",
  permission: "Viewer",
  summary: `List the jobs of reverts of the last ${JOB_DAYS} days`,
  description: `Newest first. ${OWN} Reverts that were done at once are no jobs.`,
  response: z.array(RevertJob).meta({ id: "RevertJobs" }),
  errors: [],
});

export const cancelRevertJob = endpoint({
  ...common,
  operationId: "cancel_revert_job",
  method: "delete",
  path: "/api/v1/changes/reverts/{id}",
  permission: "Member",
  summary: "Cancel the job of a revert",
  description:
    "It ends after the part that is being written. What was reverted stays so; a repeated revert does the rest. " +
    "A job that has ended stays as it is.",
  params,
  response: RevertJob,
  errors: ["not_found"],
});

export const getRevertJob = endpoint({
  ...common,
  operationId: "get_revert_job",
  method: "get",
  path: "/api/v1/changes/reverts/{id}",
  permission: "Viewer",
  waits: true,
  summary: "Get the job of a revert with its progress and result",
  description: `${OWN} Kept for ${JOB_DAYS} days.`,
  params,
  query: z.strictObject({
    wait: z
      .int()
      .min(0)
      .max(LONGEST_JOB_WAIT_SECONDS)
      .default(0)
      .describe("Long polling: seconds to wait for its end, if it has not ended yet."),
  }),
  response: RevertJob,
  errors: ["not_found", "too_many_in_flight"],
});
