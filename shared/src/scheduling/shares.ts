import { SHARE_LIMITS, type ShareLimits } from "../quotas.js";
import { AppError } from "../errors.js";
import { createFairQueue, ownTasksLimited } from "./fair-queue.js";

// All organizations share few database connections. Each has a limited number of concurrent uses; further ones queue in
// order, up to a maximum number and time.

/** Seconds after which a rejected caller may retry. */
const RETRY_SECONDS = 1;

/** The shares of all organizations in one process. */
export interface Shares {
  /**
   * Runs a task within the organization's share.
   *
   * @throws AppError `rate_limited` · `unavailable` if it has waited for too long, and none of the organization's has ended
   */
  use<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
  /** Waits for one of the organization's streams. @returns releases it @throws AppError `rate_limited` */
  openStream(organizationId: string): Promise<() => void>;
  /** A request has arrived. */
  arrives(): void;
  /** How many have arrived so far. */
  arrived(): number;
  /** Resolves when nothing is running, or after the given milliseconds at the latest, for background work to start. */
  idle(mostMs: number): Promise<void>;
}

export function createShares(given: Partial<ShareLimits> = {}): Shares {
  const limits = { ...SHARE_LIMITS, ...given };
  const queue = createFairQueue({
    ofKey: limits.operations,
    mostWaitingOfKey: limits.waiting,
    longestWaitMs: limits.waitMs,
    refusal: ownTasksLimited(RETRY_SECONDS),
  });
  // They are held up only by the organization's own readers.
  const streams = createFairQueue({
    ofKey: limits.streams,
    mostWaitingOfKey: limits.streamsWaiting,
    longestWaitMs: limits.streamWaitMs,
    refusal: () => new AppError("rate_limited", { retry_after_seconds: RETRY_SECONDS }),
  });
  let arrived = 0;

  return {
    arrives: () => {
      arrived++;
    },
    arrived: () => arrived,
    use: (organizationId, task) => queue.run(task, organizationId),
    idle: queue.idle,
    openStream: (organizationId) => streams.enter(organizationId),
  };
}
