import type { JobKey } from "../../storage/job-blocks.js";
import type { ImportJobs, JobProgress } from "../../storage/import-jobs.js";
import type { JobEnd } from "../../storage/open-jobs.js";
import type { ImportWatch } from "../import.js";

/** Milliseconds after which progress is reported again, and a request to stop is noticed. */
const EVERY_MS = 1_000;
/** The same before something is written. */
const BEFORE_WRITES_MS = 100;

/** Follows a job: reports its progress, and stops it if requested. */
export interface JobWatch extends ImportWatch {
  /** Why the job is to stop; null if it is not. */
  readonly end: JobEnd | "interrupted" | null;
  /** What has been done, when it is done. */
  result(): { readonly summary: object | null; readonly covered: readonly string[] };
  /** Reports now. */
  report(progress: JobProgress): Promise<void>;
  /** Stops the job because its process stops. */
  interrupt(): void;
  /** Ends the watch. */
  close(): void;
}

export function watchJob(jobs: Pick<ImportJobs, "report">, job: JobKey, onFault: (error: unknown) => void): JobWatch {
  let end: JobWatch["end"] = null;
  let unreported: JobProgress = {};
  let done = 0;
  let result: ReturnType<JobWatch["result"]> = { summary: null, covered: [] };
  let lastAt = 0;

  async function report(progress: JobProgress): Promise<void> {
    lastAt = performance.now();
    const given = { ...unreported, ...progress, done };
    unreported = {};
    const ending = await jobs.report(job, given);
    end ??= ending;
  }

  const timer = setInterval(() => {
    if (performance.now() - lastAt >= EVERY_MS / 2) report({}).catch(onFault);
  }, EVERY_MS);
  return {
    begin: (format, total) => {
      unreported = { format, total };
      // Right away, so that followers see how much there is.
      lastAt = 0;
    },
    look: async () => {
      if (performance.now() - lastAt >= BEFORE_WRITES_MS) await report({});
    },
    isStopped: () => end !== null,
    get end() {
      return end;
    },
    hostDone: () => {
      done++;
    },
    done: (summary, covered) => {
      result = { summary, covered };
    },
    result: () => result,
    report,
    interrupt: () => {
      end ??= "interrupted";
    },
    close: () => {
      clearInterval(timer);
    },
  };
}
