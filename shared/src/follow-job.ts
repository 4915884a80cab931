import { ApiError, type Client, type FailureCode } from "./client.js";
import { hasEnded, type ImportJob } from "./contract/import-job.js";
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

/** What a job failed with, as if it had been the response of its import; null if it has not failed. */
export function failureOf({ error, request_id }: ImportJob): ApiError | null {
  if (error === null) return null;
  const { status, code, message, params } = error;
  const request = { status, method: "POST", path: "/api/v1/imports" };
  return new ApiError(request, { error: message, code: code as FailureCode, params, meta: { request_id } });
}
