import { AppError } from "@nts/shared/errors";

// Imports that run at a time hold a thread and connections to the database. Those that wait take turns by organization:
// whoever has many waits behind one of everybody else.

export interface QueueLimits {
  readonly running: number;
  readonly runningOfOrganization: number;
  readonly waitingOfOrganization: number;
  readonly waiting: number;
  readonly waitMs: number;
}

export interface ImportQueue {
  /**
   * Waits for a place among the imports that run.
   *
   * @returns gives it back
   * @throws AppError `rate_limited` when the organization has enough of them · `unavailable` when none got free in time
   */
  enter(organizationId: string): Promise<() => void>;
  running(): number;
  waiting(): number;
}

interface Waiting {
  readonly organizationId: string;
  readonly begin: () => void;
}

/** Seconds after which a refused import may be tried again. */
const RETRY_SECONDS = 5;

/** The imports that run. */
function createPlaces(limits: QueueLimits) {
  const running = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    has: (organizationId: string) => running.has(organizationId),
    /** An organization has a second import run only while half of the places are free, so that few cannot take all. */
    isFreeFor: (organizationId: string): boolean => {
      const own = running.get(organizationId) ?? 0;
      return own === 0 ? total < limits.running : own < limits.runningOfOrganization && 2 * total < limits.running;
    },
    /** @returns gives the place back, and says whether it had not been given back before */
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
  /** By organization, in the order of their next turns. */
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
      // Behind the others until its next turn.
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
