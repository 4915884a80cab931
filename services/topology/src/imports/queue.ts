import { AppError } from "@nts/shared/errors";
import { createFairQueue, type FairQueue } from "@nts/shared/scheduling/fair-queue";

// Running imports occupy a thread and database connections. Waiting ones take turns by organization.

export interface QueueLimits {
  readonly running: number;
  readonly runningOfOrganization: number;
  readonly waitingOfOrganization: number;
  readonly waiting: number;
  readonly waitMs: number;
}

/** Seconds after which a rejected import may be retried. */
const RETRY_SECONDS = 5;

/**
 * The slots of imports, by organization.
 *
 * @throws AppError (on entering) `rate_limited` if the organization has too many · `unavailable` if none became free in time
 */
export function createImportQueue(limits: QueueLimits): Pick<FairQueue, "enter" | "running" | "waiting"> {
  return createFairQueue({
    atATime: limits.running,
    // A second slot only while half of them are free.
    ofKey: (running) => (2 * running < limits.running ? limits.runningOfOrganization : 1),
    mostWaiting: limits.waiting,
    mostWaitingOfKey: limits.waitingOfOrganization,
    longestWaitMs: limits.waitMs,
    refusal: ({ reason, running }) => {
      const isOthers = reason === "all" || (reason === "late" && running === 0);
      return new AppError(isOthers ? "unavailable" : "rate_limited", { retry_after_seconds: RETRY_SECONDS });
    },
  });
}
