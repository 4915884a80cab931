import { AppError } from "@nts/shared/errors";

// Requests that wait for changes are woken by a notice. A notice can be lost, so they poll now and then, too.

/** Of one user in one process. */
export const MOST_OF_USER = 10;
/** In one process. */
const MOST = 2_000;

/** Milliseconds between two polls of a request that is not woken. */
const LOOK_MS = 5_000;
/** Milliseconds after which it is noticed that the client has gone. */
const NOTICE_MS = 1_000;

/** Networks in which something has changed; null for what belongs to the organization as a whole. */
export type Networks = ReadonlySet<string | null>;

export interface Waiting {
  /** Wakes the requests that wait in an organization. @param networks null when it may be any */
  wake(organizationId: string, networks: Networks | null): void;
  /** Counts a waiting request, until `end`. @throws AppError `too_many_in_flight` */
  begin(userId: string, organizationId: string, networks: Networks | "all"): Waiter;
}

export interface Waiter {
  /** Resolves when something has changed since the last time it did, or the time is up. @returns false then */
  change(ms: number): Promise<boolean>;
  end(): void;
}

interface Entry {
  readonly networks: Networks | "all";
  hasChanged: boolean;
  resolve: (() => void) | null;
}

export function createWaiting(): Waiting {
  const byOrganization = new Map<string, Set<Entry>>();
  const users = new Map<string, number>();
  let all = 0;

  return {
    wake: (organizationId, networks) => {
      for (const entry of byOrganization.get(organizationId) ?? []) {
        const mine = entry.networks;
        if (networks !== null && mine !== "all" && ![...networks].some((id) => mine.has(id))) continue;
        entry.hasChanged = true;
        entry.resolve?.();
      }
    },
    begin: (userId, organizationId, networks) => {
      const ofUser = users.get(userId) ?? 0;
      if (ofUser >= MOST_OF_USER || all >= MOST)
        throw new AppError("too_many_in_flight", { of: "user", retry_after_seconds: 1 });
      users.set(userId, ofUser + 1);
      all += 1;
      const entry: Entry = { networks, hasChanged: false, resolve: null };
      const entries = byOrganization.get(organizationId) ?? new Set();
      byOrganization.set(organizationId, entries.add(entry));
      return {
        change: async (ms) => {
          if (!entry.hasChanged)
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, ms);
              entry.resolve = () => {
                clearTimeout(timer);
                resolve();
              };
            });
          entry.resolve = null;
          const { hasChanged } = entry;
          entry.hasChanged = false;
          return hasChanged;
        },
        end: () => {
          entries.delete(entry);
          if (entries.size === 0) byOrganization.delete(organizationId);
          const left = (users.get(userId) ?? 1) - 1;
          if (left === 0) users.delete(userId);
          else users.set(userId, left);
          all -= 1;
        },
      };
    },
  };
}

interface Wanted<T> {
  /** For how long, at most. */
  readonly seconds: number;
  /** Whether the client has gone. */
  isOver(): boolean;
  look(): Promise<T>;
  isThere(found: T): boolean;
}

/**
 * Looks until something is there. It begins with a look: what was told before the waiter had begun wakes nobody.
 *
 * @returns what the last look found
 */
export async function waitFor<T>(waiter: Waiter, { seconds, isOver, look, isThere }: Wanted<T>): Promise<T> {
  const until = performance.now() + seconds * 1_000;
  let isLast = false;
  for (;;) {
    const found = await look();
    if (isLast || isThere(found)) return found;
    const nextLook = performance.now() + LOOK_MS;
    let isWoken = false;
    while (!isWoken && !isLast && performance.now() < nextLook) {
      isWoken = await waiter.change(Math.min(until - performance.now(), NOTICE_MS));
      isLast = performance.now() >= until || isOver();
    }
  }
}
