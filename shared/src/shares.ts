import { AppError } from "./errors.js";

// The connections to the database are few and belong to all organizations. Each organization has a share of them; what is
// beyond it waits in the order it came, and only so many and only so long.

/** Seconds after which a refused caller may try again. */
const RETRY_SECONDS = 1;

export interface ShareLimits {
  /** Reads and transactions that one organization may have under way at a time. */
  readonly operations: number;
  /** Those that may wait for their turn. */
  readonly waiting: number;
  /** Milliseconds that one may wait. */
  readonly waitMs: number;
  /** Streams that one organization may have open at a time. */
  readonly streams: number;
}

export const SHARE_LIMITS: ShareLimits = { operations: 4, waiting: 512, waitMs: 5_000, streams: 4 };

/** The shares of all organizations in one process. */
export interface Shares {
  /** Runs a task within the organization's share. @throws AppError `rate_limited` */
  use<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
  /** @returns gives the stream back @throws AppError `rate_limited` */
  openStream(organizationId: string): () => void;
  /** Resolves when nothing is under way, and after so many milliseconds at the latest: work that nobody waits for begins then. */
  idle(mostMs: number): Promise<void>;
}

interface Share {
  running: number;
  streams: number;
  /** Starts the next task. */
  readonly waiting: Set<() => void>;
}

export function createShares(given: Partial<ShareLimits> = {}): Shares {
  const limits = { ...SHARE_LIMITS, ...given };
  const shares = new Map<string, Share>();
  const activity = createActivity();

  function shareOf(organizationId: string): Share {
    const share = shares.get(organizationId) ?? { running: 0, streams: 0, waiting: new Set() };
    shares.set(organizationId, share);
    return share;
  }

  function forgetUnused(organizationId: string, { running, streams, waiting }: Share): void {
    if (running === 0 && streams === 0 && waiting.size === 0) shares.delete(organizationId);
  }

  /** Resolves when the caller has its turn, which it then has to give back. */
  function turn(share: Share): Promise<void> {
    if (share.waiting.size >= limits.waiting) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        share.waiting.delete(begin);
        share.running += 1;
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.delete(begin);
        reject(tooMany());
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

/** What is under way, of all organizations together. */
function createActivity() {
  const waiting = new Set<() => void>();
  let underWay = 0;
  return {
    begin: (): void => void (underWay += 1),
    end: (): void => {
      underWay -= 1;
      if (underWay === 0) for (const go of waiting) go();
    },
    idle: async (mostMs: number): Promise<void> => {
      if (underWay === 0) return;
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
