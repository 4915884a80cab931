import type { ImportJob, UploadedBytes } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { withoutResponse } from "@nts/shared/work";
import { caughtUp } from "../../journal/barrier.js";
import type { JobKey } from "../../storage/job-blocks.js";
import { INTERRUPTED, type JobProgress } from "../../storage/import-jobs.js";
import { ACCESS_ENDED, type JobEnd, jobErrorOf } from "../../storage/open-jobs.js";
import type { Storage } from "../../storage/storage.js";
import { type ImportParameters, prepareImport, type PreparedImport, runImport } from "../import.js";
import type { ImportRunner } from "../runner.js";
import { JOB_LIMITS } from "../scan.rules.js";
import { type FileBlocks, type SpooledFile, textBytesOf } from "../spool.js";
import type { Remote } from "../thread.js";
import { type JobWatch, watchJob } from "./watch.js";

// Imports that no response waits for. A job belongs to the process that received its file; if that dies, the job has failed, and
// says how far it came. The file of a job that has to wait is kept in the database.

/** Who starts a job. */
export interface Starter {
  readonly userId: string;
  /** Null for a session. */
  readonly keyId: string | null;
  readonly requestId: string;
}

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
   * @throws AppError as imports before they begin
   */
  start(
    parameters: ImportParameters,
    starter: Starter,
    file: UploadedBytes,
    onEnd?: (outcome: JobOutcome) => Promise<void>,
  ): Promise<ImportJob>;
  /** Stops the jobs of this process. */
  stop(): Promise<void>;
}

/** How often a job waits for the journal, for some seconds each. */
const JOURNAL_ATTEMPTS = 10;
/** How long a stopping process waits for the hosts that are being written. */
const STOP_MS = 6_000;

const ENDS: Readonly<Record<JobEnd | "interrupted", JobProgress>> = {
  cancelled: { state: "cancelled" },
  access_ended: { state: "cancelled", error: ACCESS_ENDED },
  interrupted: { state: "failed", error: INTERRUPTED },
};

interface Job {
  readonly onEnd: ((outcome: JobOutcome) => Promise<void>) | undefined;
  readonly key: JobKey;
  readonly prepared: PreparedImport;
  readonly watch: JobWatch;
  readonly log: Log;
}

export function createImportJobRunner(storage: Storage, runner: ImportRunner): ImportJobRunner {
  const { importJobs } = storage;
  const running = new Map<JobWatch, Promise<void>>();

  async function run({ key, prepared, watch }: Job, session: Remote, file: FileBlocks): Promise<void> {
    if (watch.isStopped()) return;
    await watch.report({ state: "running", started_at: new Date() });
    const plan = importJobs.planWriter(key);
    for await (const text of runImport(storage, prepared, { session, file, limits: JOB_LIMITS, watch }))
      await plan.add(text);
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

  async function ended({ key, watch, log, onEnd }: Job, running: Promise<void>): Promise<void> {
    let outcome: JobProgress = { state: "done" };
    try {
      await running;
    } catch (error) {
      outcome = {
        state: "failed",
        error: jobErrorOf(error, (cause) => log.error({ err: cause, job: key._id }, "an import job failed")),
      };
    }
    await importJobs.dropFile(key);
    const end = watch.end === null ? outcome : ENDS[watch.end];
    await watch.report({ ...end, ended_at: new Date() });
    await onEnd?.({ state: end.state ?? "done", error: end.error ?? null, ...watch.result() });
  }

  /** Runs a job when it is its turn, and keeps its file until then. @throws AppError if there is no room to wait */
  async function begin(job: Job, spooled: SpooledFile): Promise<void> {
    const held: { blocks: FileBlocks | null } = { blocks: spooled.blocks };
    const release = (): void => {
      held.blocks = null;
      spooled.release();
    };
    const going = runner.runLater(job.key.organization_id, textBytesOf(spooled.blocks), async (session) => {
      const file = held.blocks ?? (await importJobs.fileOf(job.key));
      release();
      await run(job, session, file);
    });
    // It is refused at once, or not at all for long.
    await Promise.race([going, new Promise(setImmediate)]);
    const following = ended(job, going)
      .catch((error: unknown) => {
        job.log.error({ err: error, job: job.key._id }, "the end of an import job could not be recorded");
      })
      .finally(() => {
        job.watch.close();
        running.delete(job.watch);
      });
    running.set(job.watch, following);
    if (held.blocks === null) return;
    await importJobs.keepFile(job.key, held.blocks);
    release();
  }

  return {
    start: async (parameters, { userId, keyId, requestId }, file, onEnd) => {
      const { log, isDry, networkId } = parameters;
      const prepared = { ...(await prepareImport(storage, parameters)), work: withoutResponse(parameters.work) };
      const { organizationId } = prepared.scope;
      const spooled = await runner.receive(organizationId, file);
      const key = { _id: newId(), organization_id: organizationId };
      const onFault = (error: unknown): void => {
        log.warn({ err: error, job: key._id }, "the progress of an import job could not be recorded");
      };
      try {
        const created = await importJobs.create({
          ...key,
          network_id: networkId,
          user_id: userId,
          key_id: keyId,
          request_id: requestId,
          format: parameters.format,
          dry_run: isDry,
        });
        const watch = watchJob(importJobs, key, onFault);
        await begin({ key, prepared, watch, log, onEnd }, spooled).catch(async (error: unknown) => {
          watch.close();
          await importJobs.remove(key);
          throw error;
        });
        return created;
      } catch (error) {
        spooled.release();
        throw error;
      }
    },
    stop: async () => {
      for (const watch of running.keys()) watch.interrupt();
      await waitAtMost(STOP_MS, Promise.all(running.values()));
    },
  };
}
