import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isStillAllowed } from "@nts/shared/collector-targets";
import {
  type CollectorReceipt,
  ImportSummary,
  MOST_REPORTED_BYTES,
  MOST_REPORTS,
  type UploadedBytes,
} from "@nts/shared/contract";
import type { CollectorPlan } from "@nts/shared/contract/internal";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import { isGzip } from "../imports/gzip.rules.js";
import type { ImportJobRunner, JobOutcome, Starter } from "../imports/jobs/jobs.js";
import {
  bytesOf,
  type CollectorJobDocument,
  type CollectorJobs,
  type CollectorKey,
} from "../storage/collector-jobs.js";

// Reports of collectors become imports. Each is imported when it arrives, and covers nothing; the final one is imported
// together with those before it, because only all of them show what was not found.

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

const NEWLINE = Buffer.from("\n");

/** @throws AppError `not_found` · `collector_job_ended` · `quota_exceeded` · `payload_too_large`, and as imports before they begin */
export async function takeReport(
  jobs: CollectorJobs,
  imports: ImportJobRunner,
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
  const job = await jobs.receive(found, { key, is_final: isFinal });
  if (job === null) {
    const now = (await jobs.find(collector, jobId)) ?? found;
    const repeated = repetitionOf(now, report);
    if (repeated !== null) return repeated;
    throw refusalOf(now);
  }
  try {
    const { importId, bytes } = await importReport(jobs, imports, { ...report, job });
    const entry = { key, is_final: isFinal, at: new Date(), is_done: true, bytes, import_id: importId };
    const saved = await jobs.received(job, entry, report.starter.requestId);
    return receiptOf(saved ?? job, importId, false);
  } catch (error) {
    await jobs.release(job, key);
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

async function importReport(
  jobs: CollectorJobs,
  imports: ImportJobRunner,
  { job, isFinal, ageSeconds, body, scope, starter, work, log }: Report & { readonly job: CollectorJobDocument },
): Promise<{ importId: string; bytes: number }> {
  const receiving = createReceiving(jobs, job, isFinal);
  const nowMs = Date.now();
  // No earlier than the job: the clock of the server decides when something was seen.
  const atMs = Math.max(nowMs - ageSeconds * 1_000, job.started_at?.getTime() ?? nowMs);
  const parameters = {
    ...{ work, scope, networkId: job.network_id, isDry: false, subnetHints: [], format: "report" as const, log },
    ...{ host: { id: undefined, name: undefined }, resource: null, columns: [], atMs },
    coverage: isFinal ? job.targets : ("nothing" as const),
  };
  const onEnd = isFinal ? (outcome: JobOutcome) => jobs.end(job, endOf(outcome)) : undefined;
  const { id } = await imports.start(parameters, starter, receiving.file(body), onEnd);
  if (isFinal) await jobs.dropKept(job);
  return { importId: id, bytes: receiving.bytes() };
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

/** Receives the text of a report within the room that is left, and keeps it unless it is the final one. */
function createReceiving(jobs: CollectorJobs, job: CollectorJobDocument, isFinal: boolean) {
  const before = job.reports.filter(({ is_done }) => is_done);
  const room = MOST_REPORTED_BYTES - bytesOf(job);
  let bytes = 0;

  async function* own(body: UploadedBytes): AsyncGenerator<Buffer> {
    for await (const piece of plainText(body)) {
      bytes += piece.length;
      if (bytes > room) throw new AppError("payload_too_large", { limit_bytes: MOST_REPORTED_BYTES });
      yield piece;
    }
    if (bytes === 0) throw validationFailed({ path: "body", message: "must be a report in lines of JSON" });
  }

  async function* file(body: UploadedBytes): AsyncGenerator<Buffer> {
    if (isFinal && before.length > 0) {
      yield* jobs.kept(job);
      yield NEWLINE;
    }
    if (isFinal) {
      yield* own(body);
      return;
    }
    const keeper = jobs.keep(job, job.reports.length);
    for await (const piece of own(body)) {
      await keeper.add(piece);
      yield piece;
    }
    await keeper.add(NEWLINE);
    await keeper.end();
  }

  return { file, bytes: () => bytes };
}

/** The text of a file, which may be compressed. @throws AppError `validation_failed` */
async function* plainText(body: UploadedBytes): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
  };
  if (!isGzip(first.value)) {
    for await (const piece of rest()) yield Buffer.from(piece);
    return;
  }
  const source = Readable.from(rest());
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  try {
    for await (const piece of unzipped) yield piece as Buffer;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isOfGzip = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isOfGzip ? validationFailed({ path: "body", message: "must be a complete gzip file" }) : error;
  }
}
