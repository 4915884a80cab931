import { ApiError, type Client, type FailureCode } from "./client.js";
import { hasEnded, type ImportJob } from "./contract/import-job.js";
import { getRevertJob, type RevertJob } from "./contract/revert-job.js";
import { revertChanges } from "./contract/revert.js";
import type { Reverted } from "./contract/reverted.js";
import { getImportJob, type ImportJobWithPlan } from "./contract/import-jobs.js";

/** Seconds between two reports of progress. */
const WAIT_SECONDS = 1;

/**
 * Follows an import job until it has ended.
 *
 * @param onProgress called about every second
 * @throws ApiError what it failed with, and failures to read it
 */
export async function followJob(
  client: Pick<Client, "call">,
  job: ImportJob,
  { onProgress = () => undefined, signal }: { onProgress?: (job: ImportJob) => void; signal?: AbortSignal } = {},
): Promise<ImportJobWithPlan> {
  for (;;) {
    const input = { params: { id: job.id }, query: { wait: WAIT_SECONDS }, ...(signal !== undefined && { signal }) };
    const current = await client.call(getImportJob, input);
    onProgress(current);
    if (!hasEnded(current)) continue;
    const failure = failureOf(current);
    if (failure !== null) throw failure;
    return current;
  }
}

interface RevertOptions {
  /** Only checks, and returns what would be done. */
  readonly isDry?: boolean;
  readonly onProgress?: (job: RevertJob) => void;
  /** The ETag of its plan: it does exactly that, or fails. */
  readonly ifMatch?: string;
  readonly comment?: string;
}

/**
 * Reverts a request, if need be as a job.
 *
 * @param onProgress called about every second while a job runs
 * @throws ApiError
 */
export async function revertRequest(
  client: Pick<Client, "call" | "startIfLong">,
  request_id: string,
  { isDry = false, onProgress = () => undefined, ...conditions }: RevertOptions = {},
): Promise<Reverted> {
  const input = { body: { request_id }, query: { dry_run: isDry }, ...conditions };
  const started = await client.startIfLong(revertChanges, input);
  if (!("state" in started)) return started;
  for (;;) {
    const job = await client.call(getRevertJob, { params: { id: started.id }, query: { wait: WAIT_SECONDS } });
    onProgress(job);
    if (!hasEnded(job)) continue;
    if (job.result !== null) return job.result;
    throw failureOf(job, revertChanges.path) ?? new Error("the revert was cancelled");
  }
}

/** What a job failed with, as if it had been the response of its request; null if it has not failed. */
export function failureOf(
  { error, request_id }: Pick<ImportJob, "error" | "request_id">,
  path = "/api/v1/imports",
): ApiError | null {
  if (error === null) return null;
  const { status, code, message, params } = error;
  const request = { status, method: "POST", path };
  return new ApiError(request, { error: message, code: code as FailureCode, params, meta: { request_id } });
}
