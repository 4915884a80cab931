import { AppError } from "@nts/shared/errors";

// Running imports occupy a thread and database connections. Waiting ones take turns by organization.

export interface QueueLimits {
  readonly running: number;
  readonly runningOfOrganization: number;
  readonly waitingOfOrganization: number;
  readonly waiting: number;
  readonly waitMs: number;
}

export interface ImportQueue {
  /**
   * Waits for a slot.
   *
   * @returns releases it
   * @throws AppError `rate_limited` if the organization has too many · `unavailable` if none became free in time
   */
  enter(organizationId: string): Promise<() => void>;
  running(): number;
  waiting(): number;
}

interface Waiting {
  readonly organizationId: string;
  readonly begin: () => void;
}

/** Seconds after which a rejected import may be retried. */
const RETRY_SECONDS = 5;

/** The running imports. */
function createPlaces(limits: QueueLimits) {
  const running = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    has: (organizationId: string) => running.has(organizationId),
    /** An organization gets a second slot only while half of them are free. */
    isFreeFor: (organizationId: string): boolean => {
      const own = running.get(organizationId) ?? 0;
      return own === 0 ? total < limits.running : own < limits.runningOfOrganization && 2 * total < limits.running;
    },
    /** @returns releases the slot; returns false if already released */
    take: (organizationId: string): (() => boolean) => {
      total++;
      running.set(organizationId, (running.get(organizationId) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return false;
        isOver = true;
        total--;
        const left = (running.get(organizationId) ?? 1) - 1;
        if (left === 0) running.delete(organizationId);
        else running.set(organizationId, left);
        return true;
      };
    },
  };
}

export function createImportQueue(limits: QueueLimits): ImportQueue {
  const places = createPlaces(limits);
  /** By organization, in round-robin order. */
  const lines = new Map<string, Waiting[]>();
  const waiting = (): number => [...lines.values()].reduce((sum, line) => sum + line.length, 0);

  function begin(organizationId: string): () => void {
    const giveBack = places.take(organizationId);
    return () => {
      if (giveBack()) beginNext();
    };
  }

  function beginNext(): void {
    for (const [organizationId, line] of lines) {
      if (!places.isFreeFor(organizationId)) continue;
      const [next] = line;
      if (next === undefined) continue;
      leave(next);
      // To the end until its next turn.
      const rest = lines.get(organizationId);
      if (rest !== undefined && lines.delete(organizationId)) lines.set(organizationId, rest);
      next.begin();
      return;
    }
  }

  function leave(one: Waiting): void {
    const rest = (lines.get(one.organizationId) ?? []).filter((other) => other !== one);
    if (rest.length === 0) lines.delete(one.organizationId);
    else lines.set(one.organizationId, rest);
  }

  return {
    running: places.total,
    waiting,
    enter: async (organizationId) => {
      if (places.isFreeFor(organizationId)) return begin(organizationId);
      const line = lines.get(organizationId) ?? [];
      const retry = { retry_after_seconds: RETRY_SECONDS };
      if (line.length >= limits.waitingOfOrganization) throw new AppError("rate_limited", retry);
      if (waiting() >= limits.waiting) throw new AppError("unavailable", retry);
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          organizationId,
          begin: () => {
            clearTimeout(timer);
            resolve(begin(organizationId));
          },
        };
        const timer = setTimeout(() => {
          leave(one);
          reject(new AppError(places.has(organizationId) ? "rate_limited" : "unavailable", retry));
        }, limits.waitMs);
        lines.set(organizationId, [...line, one]);
      });
    },
  };
}
