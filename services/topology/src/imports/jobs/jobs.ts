import type { ImportJob, UploadedBytes } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { withoutResponse } from "@nts/shared/work";
import { caughtUp } from "../../journal/barrier.js";
import type { JobKey } from "../../storage/job-blocks.js";
import { INTERRUPTED, type JobProgress } from "../../storage/import-jobs.js";
import { ACCESS_ENDED, type JobEnd, jobErrorOf } from "../../storage/open-jobs.js";
import type { Storage } from "../../storage/storage.js";
import { type ImportParameters, prepareImport, type PreparedImport, runImport } from "../import.js";
import type { ImportRunner } from "../runner.js";
import { JOB_LIMITS } from "../scan.rules.js";
import type { FileBlocks } from "../spool.js";
import type { Remote } from "../thread.js";
import { textBytesOf } from "../unpack.js";
import { type JobWatch, watchJob } from "./watch.js";

// Imports that no response waits for. A job belongs to the process that received its file; if that dies, the job has failed, and
// says how far it came. The file of a job that has to wait is kept in the database.

/** Who starts a job. */
export interface Starter {
  readonly userId: string;
  /** Null for a session. */
  readonly keyId: string | null;
  /** The collector whose report it is; null for people. */
  readonly collectorId: string | null;
  readonly requestId: string;
}

/** A text in UTF-8 that is kept elsewhere, until the job has ended. */
export interface KeptText {
  /** Uncompressed. */
  readonly bytes: number;
  /** Its blocks, each compressed by itself. */
  read(): AsyncGenerator<Uint8Array>;
}

/** A file that is imported: one that arrives, or a text that is kept when this has resolved. */
export type ImportSource = UploadedBytes | (() => Promise<KeptText>);

/** How an import has ended. */
export interface JobOutcome {
  readonly state: ImportJob["state"];
  readonly error: ImportJob["error"];
  /** As in its plan; null if it was not completed. */
  readonly summary: object | null;
  readonly covered: readonly string[];
}

export interface ImportJobRunner {
  /**
   * Receives the file, and starts its import.
   *
   * @param onEnd called when it has ended, unless the process dies
   * @throws AppError as imports before they begin, and `too_many_in_flight` for a collector
   */
  start(
    parameters: ImportParameters,
    starter: Starter,
    source: ImportSource,
    onEnd?: (outcome: JobOutcome) => Promise<void>,
  ): Promise<ImportJob>;
  /** Stops the jobs of this process. */
  stop(): Promise<void>;
}

/** How often a job waits for the journal, for some seconds each. */
const JOURNAL_ATTEMPTS = 10;
/** How long the response to an upload waits for others that are written to the database, too. */
const PARK_MS = 4_000;
/** How long a stopping process waits for the hosts that are being written. */
const STOP_MS = 6_000;
/** Reports that arrive, wait or are imported: of a collector, and of all those of an organization. */
export const REPORTS_AT_ONCE = { ofCollector: 2, ofOrganization: 16 };
const RETRY_SECONDS = 2;

const ENDS: Readonly<Record<JobEnd | "interrupted", JobProgress>> = {
  cancelled: { state: "cancelled" },
  access_ended: { state: "cancelled", error: ACCESS_ENDED },
  interrupted: { state: "failed", error: INTERRUPTED },
};

/** A received file. */
interface Received {
  readonly textBytes: number;
  /** Its blocks are compressed by themselves, and unpacked one by one while it is read. */
  readonly isPacked: boolean;
  /** Its blocks, which may be transferred. */
  take(): AsyncGenerator<FileBlocks[number]>;
  /** Keeps it elsewhere than in memory. */
  park(): Promise<void>;
  drop(): Promise<void>;
}

interface Job {
  readonly onEnd: ((outcome: JobOutcome) => Promise<void>) | undefined;
  readonly key: JobKey;
  readonly prepared: PreparedImport;
  readonly watch: JobWatch;
  readonly log: Log;
  readonly file: Received;
  readonly isOfCollector: boolean;
  /** Gives its place to other reports of its collector. */
  readonly leave: () => void;
}

export function createImportJobRunner(storage: Storage, runner: ImportRunner): ImportJobRunner {
  const { importJobs } = storage;
  const running = new Map<JobWatch, Promise<void>>();
  const ofCollectors = createReportPlaces();

  async function run({ key, prepared, watch, file }: Job, session: Remote): Promise<void> {
    if (watch.isStopped()) return;
    await watch.report({ state: "running", started_at: new Date() });
    const plan = importJobs.planWriter(key);
    const given = { session, file: file.take(), isPacked: file.isPacked, limits: JOB_LIMITS, watch };
    for await (const text of runImport(storage, prepared, given)) await plan.add(text);
    await plan.end();
    // Then it can be undone at once.
    if (!prepared.isDry) await inJournal(prepared);
  }

  /** Waits until the journal contains what an import has done, unless it is far behind. */
  async function inJournal({ scope, work }: PreparedImport): Promise<void> {
    for (let attempt = 0; attempt < JOURNAL_ATTEMPTS; attempt++)
      try {
        await caughtUp(storage.database, scope, work);
        return;
      } catch {
        // It is behind, or cannot be asked: that is no fault of the import.
      }
  }

  async function ended({ key, watch, log, file, onEnd }: Job, running: Promise<void>): Promise<void> {
    let outcome: JobProgress = { state: "done" };
    try {
      await running;
    } catch (error) {
      outcome = {
        state: "failed",
        error: jobErrorOf(error, (cause) => log.error({ err: cause, job: key._id }, "an import job failed")),
      };
    }
    await file.drop();
    const end = watch.end === null ? outcome : ENDS[watch.end];
    await watch.report({ ...end, ended_at: new Date() });
    await onEnd?.({ state: end.state ?? "done", error: end.error ?? null, ...watch.result() });
  }

  /** Receives a file in memory, and keeps it in the database while its job has to wait. */
  async function uploaded(key: JobKey, upload: UploadedBytes): Promise<Received> {
    const spooled = await runner.receive(key.organization_id, upload);
    let blocks: FileBlocks | null = spooled.blocks;
    let isParked = false;
    const release = (): void => {
      blocks = null;
      spooled.release();
    };
    /** Until its job begins. */
    function* whileHeld(all: FileBlocks): Generator<Uint8Array> {
      for (const block of all) {
        if (blocks === null) return;
        yield block;
      }
    }
    const textBytes = await textBytesOf(spooled.blocks, JOB_LIMITS.bytes).catch((error: unknown) => {
      release();
      throw error;
    });
    return {
      textBytes,
      isPacked: false,
      take: async function* () {
        const held = blocks;
        release();
        if (held === null) yield* copied(importJobs.fileOf(key));
        // Each is let go when it has been sent.
        else for (let block = held.shift(); block !== undefined; block = held.shift()) yield block;
      },
      park: async () => {
        if (blocks === null) return;
        isParked = true;
        await importJobs.keepFile(key, whileHeld(blocks), PARK_MS);
        release();
      },
      drop: async () => {
        release();
        if (isParked) await importJobs.dropFile(key);
      },
    };
  }

  /** Runs a job when it is its turn, and keeps its file until then. @throws AppError if there is no room to wait */
  async function begin(job: Job): Promise<void> {
    const { key, file } = job;
    const owner = { organizationId: key.organization_id, isOfCollector: job.isOfCollector };
    const turn = { isAwaited: true };
    const going = runner.runLater(owner, file.textBytes, (session) => {
      turn.isAwaited = false;
      return run(job, session);
    });
    // It is refused at once, or not at all for long.
    await Promise.race([going, new Promise(setImmediate)]);
    const following = ended(job, going)
      .catch((error: unknown) => {
        job.log.error({ err: error, job: job.key._id }, "the end of an import job could not be recorded");
      })
      .finally(() => {
        job.watch.close();
        job.leave();
        running.delete(job.watch);
      });
    running.set(job.watch, following);
    if (turn.isAwaited) await file.park();
  }

  return {
    start: async (parameters, { userId, keyId, collectorId, requestId }, source, onEnd) => {
      const { log, isDry, networkId } = parameters;
      const prepared = { ...(await prepareImport(storage, parameters)), work: withoutResponse(parameters.work) };
      const { organizationId } = prepared.scope;
      const key = { _id: newId(), organization_id: organizationId };
      const leave = collectorId === null ? () => undefined : await ofCollectors.enter(organizationId, collectorId);
      let file: Received | null = null;
      const onFault = (error: unknown): void => {
        log.warn({ err: error, job: key._id }, "the progress of an import job could not be recorded");
      };
      try {
        file = typeof source === "function" ? keptElsewhere(await source()) : await uploaded(key, source);
        const created = await importJobs.create({
          ...key,
          network_id: networkId,
          user_id: userId,
          key_id: keyId,
          collector_id: collectorId,
          request_id: requestId,
          format: parameters.format,
          dry_run: isDry,
        });
        const watch = watchJob(importJobs, key, onFault);
        const isOfCollector = collectorId !== null;
        await begin({ key, prepared, watch, log, file, isOfCollector, leave, onEnd }).catch(async (error: unknown) => {
          watch.close();
          await importJobs.remove(key);
          throw error;
        });
        return created;
      } catch (error) {
        leave();
        await file?.drop();
        throw error;
      }
    },
    stop: async () => {
      for (const watch of running.keys()) watch.interrupt();
      await waitAtMost(STOP_MS, Promise.all(running.values()));
    },
  };
}

function keptElsewhere({ bytes, read }: KeptText): Received {
  const nothing = (): Promise<void> => Promise.resolve();
  return { textBytes: bytes, isPacked: true, take: () => copied(read()), park: nothing, drop: nothing };
}

/** In memory of their own, which may be transferred. */
async function* copied(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<FileBlocks[number]> {
  for await (const block of blocks) yield new Uint8Array(block);
}

/** Places of reports, which are taken before they arrive. */
function createReportPlaces() {
  const refusal = (): AppError =>
    new AppError("too_many_in_flight", { of: "collector", retry_after_seconds: RETRY_SECONDS });
  const ofCollector = createFairQueue({ ofKey: REPORTS_AT_ONCE.ofCollector, mostWaitingOfKey: 0, refusal });
  const ofOrganization = createFairQueue({ ofKey: REPORTS_AT_ONCE.ofOrganization, mostWaitingOfKey: 0, refusal });
  return {
    /** @throws AppError `too_many_in_flight` */
    enter: async (organizationId: string, collectorId: string): Promise<() => void> => {
      const leave = await ofCollector.enter(collectorId);
      try {
        const leaveOrganization = await ofOrganization.enter(organizationId);
        return () => {
          leave();
          leaveOrganization();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
