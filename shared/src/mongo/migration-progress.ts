import type { Log } from "../log.js";

/** What a migrating process reports; without counts if its step has no measure, such as building indexes. */
export interface MigrationProgress {
  readonly step: string;
  readonly collection?: string;
  /** Documents looked at, of about `total`. */
  readonly done?: number;
  readonly total?: number;
  readonly per_second?: number;
}

interface Counted {
  readonly collection: string;
  readonly done: number;
  readonly total: number;
}

export interface ProgressKeeper {
  /** A step has begun that has no measure yet. */
  begin(step: string): void;
  /** The step is at this document of a collection. */
  count(at: Counted): void;
  /** The attempt has failed. Progress is reported again when the next one gets further. */
  fail(): void;
  end(): void;
  /** Null unless the migration is moving, so that whoever waits for it need not know when to give up. */
  current(): MigrationProgress | null;
}

const LOG_EVERY_MS = 5_000;
/** A batch that takes longer is no progress. */
const STALLED_MS = 60_000;

export function createProgressKeeper(log: Log): ProgressKeeper {
  let step: string | null = null;
  let at: (Counted & { readonly from: number; readonly since: number; readonly movedAt: number }) | null = null;
  let hasFailed = false;
  let loggedAt = performance.now();
  const report = (): MigrationProgress => {
    if (at === null) return { step: step ?? "" };
    const seconds = (at.movedAt - at.since) / 1_000;
    const per_second = seconds === 0 ? 0 : Math.round((at.done - at.from) / seconds);
    return { step: step ?? "", collection: at.collection, done: at.done, total: at.total, per_second };
  };
  return {
    begin: (next) => {
      step = next;
      at = null;
    },
    count: ({ collection, done, total }) => {
      const now = performance.now();
      const before = at?.collection === collection ? at : null;
      if (before !== null && done > before.done) hasFailed = false;
      const { from, since } = before ?? { from: done, since: now };
      at = { collection, done, total: Math.max(total, done), from, since, movedAt: now };
      if (now - loggedAt < LOG_EVERY_MS) return;
      loggedAt = now;
      log.info(report(), "migrating");
    },
    fail: () => {
      step = null;
      hasFailed = true;
    },
    end: () => {
      step = null;
    },
    current: () => {
      const isStalled = at !== null && performance.now() - at.movedAt > STALLED_MS;
      return step === null || hasFailed || isStalled ? null : report();
    },
  };
}
