import { AppError } from "./errors.js";

// The connections to the database are few and belong to all organizations. Each organization has a share of them; what is
// beyond it waits in the order it came, and only so many and only so long.

/** Seconds after which a refused caller may try again. */
const RETRY_SECONDS = 1;

export interface ShareLimits {
  /** Reads and transactions that one organization may have under way at a time. */
  readonly operations: number;
  /** Operations that may wait for their turn. */
  readonly waiting: number;
  /** Streams that may: fewer than a user may have requests at a service, or what else the user asks would wait behind them. */
  readonly streamsWaiting: number;
  /** Milliseconds that one may wait. */
  readonly waitMs: number;
  /** Streams that one organization may have open at a time. */
  readonly streams: number;
}

export const SHARE_LIMITS: ShareLimits = { operations: 4, waiting: 512, waitMs: 5_000, streams: 4, streamsWaiting: 0 };

/** The shares of all organizations in one process. */
export interface Shares {
  /** Runs a task within the organization's share. @throws AppError `rate_limited` */
  use<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
  /** Waits for one of the organization's streams. @returns gives it back @throws AppError `rate_limited` */
  openStream(organizationId: string): Promise<() => void>;
  /** Resolves when nothing is under way, and after so many milliseconds at the latest: work that nobody waits for begins then. */
  idle(mostMs: number): Promise<void>;
}

/** Those who have their turn, and those who wait for it. */
interface Line {
  running: number;
  /** Starts the next one. */
  readonly waiting: Set<() => void>;
}

interface Share {
  readonly operations: Line;
  readonly streams: Line;
}

export function createShares(given: Partial<ShareLimits> = {}): Shares {
  const limits = { ...SHARE_LIMITS, ...given };
  const mostWaiting = { operations: limits.waiting, streams: limits.streamsWaiting };
  const shares = new Map<string, Share>();
  const activity = createActivity();

  /** Takes a turn in a line of an organization: at once when `comesUp` is null. `end` gives it back. */
  function turn(organizationId: string, kind: keyof Share): { comesUp: Promise<void> | null; end: () => void } {
    const share = shares.get(organizationId) ?? { operations: newLine(), streams: newLine() };
    shares.set(organizationId, share);
    const line = share[kind];
    const end = (): void => {
      line.running -= 1;
      const [next] = line.waiting;
      next?.();
      if (isUnused(share.operations) && isUnused(share.streams)) shares.delete(organizationId);
    };
    if (line.running >= limits[kind]) return { comesUp: comingUp(line, mostWaiting[kind], limits.waitMs), end };
    line.running += 1;
    return { comesUp: null, end };
  }

  return {
    use: async (organizationId, task) => {
      const { comesUp, end } = turn(organizationId, "operations");
      if (comesUp !== null) await comesUp;
      activity.begin();
      try {
        return await task();
      } finally {
        activity.end();
        end();
      }
    },
    idle: activity.idle,
    openStream: async (organizationId) => {
      const { comesUp, end } = turn(organizationId, "streams");
      await comesUp;
      return end;
    },
  };
}

function newLine(): Line {
  return { running: 0, waiting: new Set() };
}

function isUnused({ running, waiting }: Line): boolean {
  return running === 0 && waiting.size === 0;
}

/** Resolves when the caller's turn has come. */
function comingUp(line: Line, mostWaiting: number, waitMs: number): Promise<void> {
  if (line.waiting.size >= mostWaiting) return Promise.reject(tooMany());
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(timer);
      line.waiting.delete(begin);
      line.running += 1;
      resolve();
    };
    const timer = setTimeout(() => {
      line.waiting.delete(begin);
      reject(tooMany());
    }, waitMs);
    line.waiting.add(begin);
  });
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
