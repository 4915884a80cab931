import { AppError } from "@nts/shared/errors";

// Long-polling requests are woken by notices, and poll periodically because notices can be lost.

/** Per user and process. */
export const MOST_OF_USER = 10;
/** Per process. */
const MOST = 2_000;

/** Milliseconds between polls without a notice. */
const LOOK_MS = 5_000;
/** Milliseconds between checks for a disconnected client. */
const NOTICE_MS = 1_000;

/** Networks with changes; null for organization-level entities. */
export type Networks = ReadonlySet<string | null>;

export interface Waiting {
  /** Wakes the waiting requests of an organization. @param networks null for any */
  wake(organizationId: string, networks: Networks | null): void;
  /** Counts a waiting request until `end`. @throws AppError `too_many_in_flight` */
  begin(userId: string, organizationId: string, networks: Networks | "all"): Waiter;
}

export interface Waiter {
  /** Resolves on a change since the last call, or with false on timeout. */
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

interface Poll<T> {
  /** Maximum wait. */
  readonly seconds: number;
  /** Whether the client has disconnected. */
  isOver(): boolean;
  look(): Promise<T>;
  isThere(found: T): boolean;
}

/**
 * Polls until there is a result, starting at once, because earlier changes do not wake it.
 *
 * @returns the last result
 */
export async function waitFor<T>(waiter: Waiter, { seconds, isOver, look, isThere }: Poll<T>): Promise<T> {
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
