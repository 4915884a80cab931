import { gzipSync } from "node:zlib";
import { isStillAllowed } from "@nts/shared/collector-targets";
import {
  type CollectorReceipt,
  ImportSummary,
  MOST_REPORTED_BYTES,
  MOST_REPORTS,
  REPORT_BYTES,
  type UploadedBytes,
} from "@nts/shared/contract";
import type { CollectorPlan } from "@nts/shared/contract/internal";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import type { ImportJobRunner, JobOutcome, KeptText, Starter } from "../imports/jobs/jobs.js";
import { unpacked } from "../imports/unpack.js";
import {
  bytesOf,
  type CollectorJobDocument,
  type CollectorJobs,
  type CollectorKey,
  type ReportEntry,
} from "../storage/collector-jobs.js";

// Reports of collectors become imports. Each is imported when it arrives, and covers nothing; the final one is imported
// together with those before it, because only all of them show what was not found. Their texts wait in the database, compressed.

export interface Report {
  readonly collector: CollectorKey;
  readonly plan: CollectorPlan;
  readonly jobId: string;
  /** Its idempotency key. */
  readonly key: string;
  readonly isFinal: boolean;
  readonly ageSeconds: number;
  readonly body: UploadedBytes;
  readonly scope: Scope;
  readonly starter: Starter;
  readonly work: Work;
  readonly log: Log;
}

const PACKED_NEWLINE = gzipSync("\n");
/** How long a report waits for others that are written to the database, too. */
const KEEP_MS = 4_000;

/**
 * @throws AppError `not_found` · `collector_job_ended` · `quota_exceeded` · `payload_too_large` · `too_many_in_flight` ·
 * `rate_limited` · `unavailable`
 */
export async function takeReport(
  jobs: CollectorJobs,
  imports: Pick<ImportJobRunner, "start">,
  report: Report,
): Promise<CollectorReceipt> {
  const { collector, plan, jobId, key, isFinal } = report;
  const found = await jobs.find(collector, jobId);
  if (found === null) throw new AppError("not_found", { entity: "CollectorJob" });
  const earlier = repetitionOf(found, report);
  if (earlier !== null) return earlier;
  if (!isStillAllowed(found.targets, plan.targets)) {
    await jobs.cancel(found);
    throw new AppError("collector_job_ended", { state: "cancelled" });
  }
  const receiving = await jobs.receive(found, { key, is_final: isFinal });
  if (receiving === null) {
    const now = (await jobs.find(collector, jobId)) ?? found;
    const repeated = repetitionOf(now, report);
    if (repeated !== null) return repeated;
    throw refusalOf(now);
  }
  const { job, entry } = receiving;
  try {
    const { importId, bytes } = await importReport(jobs, imports, { ...report, job, entry });
    const saved = await jobs.received(job, { ...entry, bytes, import_id: importId }, report.starter.requestId);
    return receiptOf(saved ?? job, importId, false);
  } catch (error) {
    await jobs.release(job, entry);
    throw error;
  }
}

/** The receipt of a report that has arrived before; null for a new one. @throws AppError if it is another one, or still arriving */
function repetitionOf(job: CollectorJobDocument, { key, isFinal }: Report): CollectorReceipt | null {
  const known = job.reports.find((one) => one.key === key);
  if (known === undefined) return null;
  if (known.is_final !== isFinal) throw new AppError("idempotency_mismatch");
  return known.is_done ? receiptOf(job, known.import_id, true) : null;
}

function refusalOf(job: CollectorJobDocument): AppError {
  if (job.state !== "running") return new AppError("collector_job_ended", { state: job.state });
  if (job.reports.length >= MOST_REPORTS)
    return new AppError("quota_exceeded", { entity: "CollectorReport", limit: MOST_REPORTS });
  return new AppError("idempotency_in_progress");
}

function receiptOf(job: CollectorJobDocument, import_id: string | null, is_repeated: boolean): CollectorReceipt {
  const done = job.reports.filter((one) => one.is_done);
  return { job_id: job._id, state: job.state, import_id, reports: done.length, bytes: bytesOf(job), is_repeated };
}

/** Everything that is imported with a report. */
interface Importing extends Report {
  readonly job: CollectorJobDocument;
  readonly entry: ReportEntry;
}

async function importReport(
  jobs: CollectorJobs,
  imports: Pick<ImportJobRunner, "start">,
  importing: Importing,
): Promise<{ importId: string; bytes: number }> {
  const { job, isFinal, ageSeconds, scope, starter, work, log } = importing;
  const nowMs = Date.now();
  // No earlier than the job: the clock of the server decides when something was seen.
  const atMs = Math.max(nowMs - ageSeconds * 1_000, job.started_at?.getTime() ?? nowMs);
  const parameters = {
    ...{ work, scope, networkId: job.network_id, isDry: false, subnetHints: [], format: "report" as const, log },
    ...{ host: { id: undefined, name: undefined }, resource: null, columns: [], atMs },
    coverage: isFinal ? job.targets : ("nothing" as const),
  };
  const onEnd = async (outcome: JobOutcome): Promise<void> => {
    await jobs.dropTexts(job);
    await jobs.end(job, endOf(outcome));
  };
  let bytes = 0;
  const keep = async (): Promise<KeptText> => {
    bytes = await keepText(jobs, importing);
    return textOf(jobs, importing, bytes);
  };
  const { id } = await imports.start(parameters, starter, keep, isFinal ? onEnd : undefined);
  return { importId: id, bytes };
}

/** Keeps the text of a report as it arrives. @returns its bytes @throws AppError `payload_too_large` · `unavailable` */
async function keepText(
  jobs: CollectorJobs,
  { job, entry, body, scope: { organizationId } }: Importing,
): Promise<number> {
  const most = Math.min(REPORT_BYTES, MOST_REPORTED_BYTES - bytesOf(job));
  let bytes = 0;
  const text = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of unpacked(body, damage)) {
      bytes += piece.length;
      if (bytes > most) throw new AppError("payload_too_large", { limit_bytes: most });
      yield piece;
    }
  };
  await jobs.keep(entry, organizationId, text(), KEEP_MS);
  if (bytes === 0) throw validationFailed({ path: "body", message: "must be a report in lines of JSON" });
  return bytes;
}

function damage(): AppError {
  return validationFailed({ path: "body", message: "must be a complete gzip file" });
}

/** What is imported: the report, and those before it with the final one. */
function textOf(
  jobs: CollectorJobs,
  { job, entry, isFinal, scope: { organizationId } }: Importing,
  ownBytes: number,
): KeptText {
  const before = isFinal ? job.reports.filter(({ is_done }) => is_done) : [];
  return {
    bytes: before.reduce((sum, { bytes }) => sum + bytes, ownBytes),
    read: async function* () {
      for (const one of [...before, entry]) {
        yield* jobs.textOf(one, organizationId);
        yield PACKED_NEWLINE;
      }
    },
  };
}

function endOf({ state, error, summary, covered }: JobOutcome) {
  const parsed = ImportSummary.safeParse(summary);
  return {
    state: state === "done" ? ("done" as const) : ("failed" as const),
    summary: parsed.success ? parsed.data : null,
    covered: [...covered],
    error: error === null ? null : { code: error.code, message: messageOf(error) },
  };
}

/** With what is wrong in the report, which nobody has at hand. */
function messageOf({ message, params }: NonNullable<JobOutcome["error"]>): string {
  const [fault] = (params["errors"] ?? []) as readonly { readonly path: string; readonly message: string }[];
  return fault === undefined ? message : `The report cannot be read: ${fault.path} ${fault.message}`;
}
