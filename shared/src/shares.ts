import { AppError } from "./errors.js";

// All organizations share few database connections. Each has a limited number of concurrent uses; further ones queue in
// order, up to a maximum number and time.

/** Seconds after which a rejected caller may retry. */
const RETRY_SECONDS = 1;

export interface ShareLimits {
  /** Maximum concurrent reads and transactions of an organization. */
  readonly operations: number;
  /** Maximum queued ones. */
  readonly waiting: number;
  /** Maximum milliseconds in the queue. */
  readonly waitMs: number;
  /** Maximum open streams of an organization. */
  readonly streams: number;
}

export const SHARE_LIMITS: ShareLimits = { operations: 4, waiting: 512, waitMs: 5_000, streams: 4 };

/** The shares of all organizations in one process. */
export interface Shares {
  /**
   * Runs a task within the organization's share.
   *
   * @throws AppError `rate_limited` · `unavailable` if it has waited for too long, and none of the organization's has ended
   */
  use<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
  /** @returns releases the stream @throws AppError `rate_limited` */
  openStream(organizationId: string): () => void;
  /** Resolves when nothing is running, or after the given milliseconds at the latest, for background work to start. */
  idle(mostMs: number): Promise<void>;
}

interface Share {
  running: number;
  /** Tasks that have ended. */
  ended: number;
  streams: number;
  /** Starts the next task. */
  readonly waiting: Set<() => void>;
}

export function createShares(given: Partial<ShareLimits> = {}): Shares {
  const limits = { ...SHARE_LIMITS, ...given };
  const shares = new Map<string, Share>();
  const activity = createActivity();

  function shareOf(organizationId: string): Share {
    const share = shares.get(organizationId) ?? { running: 0, ended: 0, streams: 0, waiting: new Set() };
    shares.set(organizationId, share);
    return share;
  }

  function forgetUnused(organizationId: string, { running, streams, waiting }: Share): void {
    if (running === 0 && streams === 0 && waiting.size === 0) shares.delete(organizationId);
  }

  /** Resolves when it is the caller's turn, which the caller must release. */
  function turn(share: Share): Promise<void> {
    if (share.waiting.size >= limits.waiting) return Promise.reject(tooMany());
    const { ended } = share;
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        share.waiting.delete(begin);
        share.running += 1;
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.delete(begin);
        // If nothing ends, the database hangs; the caller is not at fault.
        reject(share.ended === ended ? new AppError("unavailable") : tooMany());
      }, limits.waitMs);
      share.waiting.add(begin);
    });
  }

  return {
    use: async (organizationId, task) => {
      const share = shareOf(organizationId);
      if (share.running < limits.operations) share.running += 1;
      else await turn(share);
      activity.begin();
      try {
        return await task();
      } finally {
        activity.end();
        share.running -= 1;
        share.ended += 1;
        const [next] = share.waiting;
        if (next === undefined) forgetUnused(organizationId, share);
        else next();
      }
    },
    idle: activity.idle,
    openStream: (organizationId) => {
      const share = shareOf(organizationId);
      if (share.streams >= limits.streams) throw tooMany();
      share.streams += 1;
      return () => {
        share.streams -= 1;
        forgetUnused(organizationId, share);
      };
    },
  };
}

/** Running tasks of all organizations. */
function createActivity() {
  const waiting = new Set<() => void>();
  let running = 0;
  return {
    begin: (): void => void (running += 1),
    end: (): void => {
      running -= 1;
      if (running === 0) for (const go of waiting) go();
    },
    idle: async (mostMs: number): Promise<void> => {
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, mostMs);
        waiting.add(go);
      });
    },
  };
}

function tooMany(): AppError {
  return new AppError("rate_limited", { retry_after_seconds: RETRY_SECONDS });
}
