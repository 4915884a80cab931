import { z } from "zod";
import { Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { ImportJob, JOB_DAYS } from "./import-job.js";
import { ImportPlan } from "./imports.js";

/** The longest wait for the end of a job, in seconds. */
export const LONGEST_JOB_WAIT_SECONDS = 25;

export const ImportJobWithPlan = ImportJob.extend({
  plan: ImportPlan.nullable().describe(
    "What was done, or would be; of a cancelled job, the hosts that were done. Null until it has ended, and if it failed.",
  ),
}).meta({ id: "ImportJobWithPlan" });
export type ImportJobWithPlan = z.infer<typeof ImportJobWithPlan>;

const common = { upstream: "topology", credential: "any", tag: "Imports" } as const;
const params = z.object({ id: Id });

export const listImportJobs = endpoint({
  ...common,
  operationId: "list_import_jobs",
  collects: true,
  method: "get",
  path: "/api/v1/imports/jobs",
  permission: "Viewer",
  summary: `List the import jobs of the last ${JOB_DAYS} days`,
  description: "Newest first, without their plans. Imports without `Prefer: respond-async` are no jobs.",
  response: z.array(ImportJob).meta({ id: "ImportJobs" }),
  errors: [],
});

export const getImportJob = endpoint({
  ...common,
  operationId: "get_import_job",
  collects: true,
  method: "get",
  path: "/api/v1/imports/jobs/{id}",
  permission: "Viewer",
  waits: true,
  summary: "Get an import job with its progress and plan",
  params,
  query: z.strictObject({
    wait: z
      .int()
      .min(0)
      .max(LONGEST_JOB_WAIT_SECONDS)
      .default(0)
      .describe("Long polling: seconds to wait for its end, if it has not ended yet."),
  }),
  response: ImportJobWithPlan,
  errors: ["not_found", "too_many_in_flight"],
});

export const cancelImportJob = endpoint({
  ...common,
  operationId: "cancel_import_job",
  collects: true,
  method: "delete",
  path: "/api/v1/imports/jobs/{id}",
  permission: "Member",
  summary: "Cancel an import job",
  description:
    "It ends after the hosts that are being written. What was imported remains, and is undone by reverting its `request_id`. " +
    "A job that has ended stays as it is.",
  params,
  response: ImportJob,
  errors: ["not_found"],
});
