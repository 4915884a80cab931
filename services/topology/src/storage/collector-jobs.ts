import { createHash } from "node:crypto";
import type { Db, Filter } from "mongodb";
import {
  type CollectorJob,
  type CollectorTargets,
  type ImportSummary,
  JOB_DAYS,
  MOST_QUEUED_JOBS,
  MOST_REPORTS,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import { keysetOf, type PageQuery } from "@nts/shared/mongo/keyset";
import { COLLECTOR_JOBS_INDEX } from "./indexes.js";
import { createJobBlocks, expiry } from "./job-blocks.js";
import { narrowedTo, within } from "./scope.js";
import { scopedCollection } from "./scoped-collection.js";

// Jobs of collectors, and their reports until the final one has been imported. All expire.

/** Jobs kept of a collector; older ones are dropped. */
export const MOST_JOBS_OF_COLLECTOR = 200;
/** How long a job waits to be fetched. */
const QUEUED_MS = 900_000;
/** After which a report whose process has died may be sent again. */
const RECEIVING_MS = 120_000;
/** After which the import of a final report has been interrupted. */
const IMPORTING_MS = 3_600_000;

/** A report of a job. */
export interface ReportEntry {
  /** Its idempotency key. */
  readonly key: string;
  readonly is_final: boolean;
  readonly at: Date;
  /** False while it is being received. */
  readonly is_done: boolean;
  readonly bytes: number;
  readonly import_id: string | null;
  /** By which its text is kept. */
  readonly text_id: string;
}

export interface CollectorJobDocument {
  _id: string;
  organization_id: string;
  network_id: string;
  collector_id: string;
  trigger: CollectorJob["trigger"];
  requested_by: CollectorJob["requested_by"];
  state: CollectorJob["state"];
  targets: CollectorTargets;
  packets_per_second: number;
  senses: string[];
  created_at: Date;
  started_at: Date | null;
  deadline: Date;
  ended_at: Date | null;
  /** The scheduled time for which it was made; null for a request. */
  scheduled_for: Date | null;
  reports: ReportEntry[];
  import_id: string | null;
  request_id: string | null;
  summary: ImportSummary | null;
  covered: string[];
  error: CollectorJob["error"];
  expires_at: Date;
}

/** A collector, as named by its key. */
export interface CollectorKey {
  readonly organization_id: string;
  readonly network_id: string;
  readonly collector_id: string;
}

export type NewCollectorJob = CollectorKey &
  Pick<CollectorJobDocument, "trigger" | "requested_by" | "targets" | "packets_per_second" | "senses">;

/** How the import of a final report has ended. */
export type CollectorJobEnd = Pick<CollectorJobDocument, "state" | "summary" | "covered" | "error">;

export interface CollectorJobQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  readonly network_id?: string | undefined;
  readonly collector_id?: string | undefined;
}

export interface CollectorJobs {
  /** A page of those in a caller's networks, and the cursor of the next one. */
  page(
    scope: Scope,
    query: CollectorJobQuery,
    most: number,
  ): Promise<{ readonly jobs: CollectorJobDocument[]; readonly next: string | null }>;
  count(scope: Scope, query: CollectorJobQuery): Promise<number>;
  /** Queues a job for its collector. @throws AppError `collector_busy` */
  queue(job: NewCollectorJob): Promise<CollectorJobDocument>;
  /** Whether a job waits for its collector. */
  isQueued(collector: CollectorKey): Promise<boolean>;
  /** The longest waiting job; it stays queued. */
  nextQueued(collector: CollectorKey): Promise<CollectorJobDocument | null>;
  /** Gives a queued job to one caller. @returns null if another has got it */
  start(job: CollectorJobDocument, deadline: Date): Promise<CollectorJobDocument | null>;
  /** Gives a scheduled job to one caller. @returns null if another has got it */
  startScheduled(job: NewCollectorJob, scheduledFor: Date, deadline: Date): Promise<CollectorJobDocument | null>;
  /** The last scheduled time of a collector for which there was a job, and whether one is running; null without any job. */
  lastOf(collector: CollectorKey): Promise<{ readonly scheduledFor: Date | null; readonly isRunning: boolean } | null>;
  /** A job of a collector. */
  find(collector: CollectorKey, id: string): Promise<CollectorJobDocument | null>;
  cancel(job: CollectorJobDocument): Promise<void>;
  /** Cancels what has not ended. */
  cancelAllOf(organizationId: string, collectorId: string): Promise<void>;
  /** Begins to receive a report; the same one only once at a time. @returns null if the job does not take it */
  receive(
    job: CollectorJobDocument,
    report: Pick<ReportEntry, "key" | "is_final">,
  ): Promise<{ readonly job: CollectorJobDocument; readonly entry: ReportEntry } | null>;
  /** The report was taken. */
  received(job: CollectorJobDocument, report: ReportEntry, requestId: string): Promise<CollectorJobDocument | null>;
  /** The report was not taken. */
  release(job: CollectorJobDocument, report: ReportEntry): Promise<void>;
  /** The import of its final report has ended. */
  end(job: CollectorJobDocument, end: CollectorJobEnd): Promise<void>;
  /** Keeps the text of a report. @see JobBlocks */
  keep(report: ReportEntry, organizationId: string, text: AsyncIterable<Uint8Array>, mostMs: number): Promise<void>;
  /** Its blocks, each compressed by itself. */
  textOf(report: ReportEntry, organizationId: string): AsyncGenerator<Buffer>;
  dropTexts(job: CollectorJobDocument): Promise<void>;
}

const OPEN = { state: { $in: ["queued" as const, "running" as const] } };

export function createCollectorJobs(db: Db): CollectorJobs {
  const jobs = scopedCollection<CollectorJobDocument>(db, "collector_jobs");
  const texts = createJobBlocks(db, "collector_reports", 1);
  const of = ({ organization_id, collector_id }: CollectorKey) => ({ organization_id, collector_id });
  const one = ({ organization_id, _id }: CollectorJobDocument) => ({ organization_id, _id });
  const after = { returnDocument: "after" } as const;

  /** Ends what is overdue. */
  async function settle(organization_id: string, collector_id?: string): Promise<void> {
    const those = { organization_id, ...(collector_id !== undefined && { collector_id }) };
    const now = new Date();
    await jobs.updateMany({ ...those, ...OPEN, deadline: { $lt: now } }, { $set: { state: "late", ended_at: now } });
    const error = { code: "unavailable", message: "The import of the final report was interrupted." };
    await jobs.updateMany(
      { ...those, state: "importing", "reports.at": { $lt: new Date(now.getTime() - IMPORTING_MS) } },
      { $set: { state: "failed", ended_at: now, error } },
    );
  }

  async function dropOldest(collector: CollectorKey): Promise<void> {
    const options = { projection: { _id: 1 }, sort: { created_at: -1 }, skip: MOST_JOBS_OF_COLLECTOR - 1 } as const;
    const surplus = await jobs.find<{ _id: string }>(of(collector), options).toArray();
    if (surplus.length > 0) await jobs.deleteMany({ ...of(collector), _id: { $in: surplus.map(({ _id }) => _id) } });
  }

  function made(job: NewCollectorJob, _id: string): CollectorJobDocument {
    const now = new Date();
    return {
      ...job,
      _id,
      state: "queued",
      created_at: now,
      started_at: null,
      deadline: new Date(now.getTime() + QUEUED_MS),
      ended_at: null,
      scheduled_for: null,
      reports: [],
      import_id: null,
      request_id: null,
      summary: null,
      covered: [],
      error: null,
      expires_at: expiry(JOB_DAYS),
    };
  }

  function matching(scope: Scope, { ids, network_id, collector_id }: CollectorJobQuery) {
    return {
      ...within(narrowedTo(scope, network_id)),
      ...(collector_id !== undefined && { collector_id }),
      ...(ids.length > 0 && { _id: { $in: [...ids] } }),
    };
  }

  return {
    page: async (scope, query, most) => {
      await settle(scope.organizationId);
      const { ids, network_id, collector_id, ...paging } = query;
      const filters = { ids, network_id, collector_id };
      const list = { name: `CollectorJob ${JSON.stringify(filters)}`, organizationId: scope.organizationId };
      const { sort, segments, cursorAfter } = keysetOf(list, paging);
      const found: CollectorJobDocument[] = [];
      for (const segment of segments) {
        const skip = found.length === 0 ? query.offset : 0;
        const filter = { ...matching(scope, query), $and: [segment as Filter<CollectorJobDocument>] };
        const options = { sort, skip, limit: most + 1 - found.length };
        if (options.limit > 0) found.push(...(await jobs.find<CollectorJobDocument>(filter, options).toArray()));
      }
      const page = found.slice(0, most);
      const last = page.at(-1);
      return { jobs: page, next: found.length > most && last !== undefined ? cursorAfter({ ...last }) : null };
    },
    count: (scope, query) => jobs.countDocuments(matching(scope, query)),
    queue: async (job) => {
      await settle(job.organization_id, job.collector_id);
      const waiting = await jobs.countDocuments({ ...of(job), state: "queued" }, { hint: COLLECTOR_JOBS_INDEX });
      if (waiting >= MOST_QUEUED_JOBS) throw new AppError("collector_busy", { limit: MOST_QUEUED_JOBS });
      await dropOldest(job);
      const queued = made(job, newId());
      await jobs.insertMany([queued]);
      return queued;
    },
    isQueued: async (collector) =>
      (await jobs.findOne(
        { ...of(collector), state: "queued" },
        { projection: { _id: 1 }, hint: COLLECTOR_JOBS_INDEX },
      )) !== null,
    nextQueued: async (collector) => {
      await settle(collector.organization_id, collector.collector_id);
      return jobs.findOne<CollectorJobDocument>(
        { ...of(collector), state: "queued" },
        { sort: { created_at: 1 }, hint: COLLECTOR_JOBS_INDEX },
      );
    },
    start: (job, deadline) =>
      jobs.findOneAndUpdate(
        { ...one(job), state: "queued" },
        { $set: { state: "running", started_at: new Date(), deadline } },
        after,
      ),
    startScheduled: async (job, scheduledFor, deadline) => {
      await dropOldest(job);
      const started: CollectorJobDocument = {
        ...made(job, scheduledId(job.collector_id, scheduledFor)),
        state: "running",
        started_at: new Date(),
        scheduled_for: scheduledFor,
        deadline,
      };
      try {
        await jobs.insertMany([started]);
        return started;
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
    lastOf: async (collector) => {
      const options = { sort: { created_at: -1 }, hint: COLLECTOR_JOBS_INDEX } as const;
      const [any, scheduled, running] = await Promise.all([
        jobs.findOne(of(collector), options),
        jobs.findOne({ ...of(collector), trigger: "schedule" }, options),
        jobs.findOne({ ...of(collector), state: "running" }, options),
      ]);
      return any === null ? null : { scheduledFor: scheduled?.scheduled_for ?? null, isRunning: running !== null };
    },
    find: async (collector, _id) => {
      await settle(collector.organization_id, collector.collector_id);
      return jobs.findOne<CollectorJobDocument>({ ...of(collector), network_id: collector.network_id, _id });
    },
    cancel: async (job) => {
      await jobs.updateOne({ ...one(job), ...OPEN }, { $set: { state: "cancelled", ended_at: new Date() } });
    },
    cancelAllOf: async (organization_id, collector_id) => {
      await jobs.updateMany(
        { organization_id, collector_id, ...OPEN },
        { $set: { state: "cancelled", ended_at: new Date() } },
      );
    },
    receive: async (job, { key, is_final }) => {
      const now = new Date();
      const before = new Date(now.getTime() - RECEIVING_MS);
      const interrupted = job.reports.find((report) => report.key === key && !report.is_done && report.at < before);
      if (interrupted !== undefined) await jobs.updateOne(one(job), { $pull: { reports: interrupted } });
      const entry: ReportEntry = {
        ...{ key, is_final, at: now, is_done: false, bytes: 0, import_id: null },
        text_id: newId(),
      };
      const receiving = await jobs.findOneAndUpdate(
        {
          ...one(job),
          state: "running",
          deadline: { $gte: now },
          "reports.key": { $ne: key },
          [`reports.${MOST_REPORTS - 1}`]: { $exists: false },
        },
        { $push: { reports: entry } },
        after,
      );
      return receiving === null ? null : { job: receiving, entry };
    },
    received: async (job, { key, is_final, bytes, import_id }, request_id) => {
      const taken = { "reports.$.is_done": true, "reports.$.bytes": bytes, "reports.$.import_id": import_id };
      const saved = await jobs.findOneAndUpdate(
        { ...one(job), reports: { $elemMatch: { key, is_done: false } } },
        { $set: { ...taken, import_id, request_id } },
        after,
      );
      if (!is_final) return saved;
      // Its import may have ended already.
      const importing = { $set: { state: "importing" as const } };
      return (await jobs.findOneAndUpdate({ ...one(job), state: "running" }, importing, after)) ?? saved;
    },
    release: async (job, { key, text_id }) => {
      await jobs.updateOne(one(job), { $pull: { reports: { key, is_done: false } } });
      await texts.remove(job.organization_id, [text_id]);
    },
    end: async (job, end) => {
      const states = ["running" as const, "importing" as const, "late" as const];
      await jobs.updateOne({ ...one(job), state: { $in: states } }, { $set: { ...end, ended_at: new Date() } });
    },
    keep: ({ text_id }, organization_id, text, mostMs) =>
      texts.addText({ _id: text_id, organization_id }, text, mostMs),
    textOf: ({ text_id }, organization_id) => texts.read({ _id: text_id, organization_id }),
    dropTexts: ({ organization_id, reports }) =>
      texts.remove(
        organization_id,
        reports.map(({ text_id }) => text_id),
      ),
  };
}

/** The same for the same time, so that it is given out once. In the form of a UUID. */
function scheduledId(collectorId: string, scheduledFor: Date): string {
  const digits = createHash("sha256").update(`${collectorId} ${scheduledFor.getTime()}`).digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** A job as returned to clients. */
export function collectorJobOf(job: CollectorJobDocument): CollectorJob {
  const { _id: id, collector_id, network_id, trigger, requested_by, state, targets, packets_per_second } = job;
  const { senses, created_at, started_at, deadline, ended_at, import_id, request_id, summary, covered, error } = job;
  const done = job.reports.filter(({ is_done }) => is_done);
  return {
    ...{ id, collector_id, network_id, trigger, requested_by, state, targets, packets_per_second, senses },
    created_at: created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    deadline: deadline.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    reports: done.length,
    bytes: bytesOf(job),
    ...{ import_id, request_id, summary, covered, error },
  };
}

/** Of all reports of a job. */
export function bytesOf({ reports }: Pick<CollectorJobDocument, "reports">): number {
  return reports.reduce((sum, { bytes }) => sum + bytes, 0);
}
