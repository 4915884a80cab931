import { Counter, Histogram, type Registry } from "prom-client";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeat } from "@nts/shared/repeat";
import type { JournalCollections } from "./collections.js";
import { follow } from "./follow.js";
import { sweepJournal } from "./retention.js";
import { createFaults } from "./set-aside.js";
import type { OnRecorded } from "./writer.js";

/** Milliseconds after which another process takes over the journal of a dead one. */
const LEASE_MS = 3_000;
/** Milliseconds between attempts to take over. */
const RETRY_MS = 500;
const STOP_MS = 1_500;
const SWEEP_EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

export interface JournalParts {
  readonly collections: JournalCollections;
  readonly registry: Registry;
  readonly log: Log;
  readonly retentionDays: number;
  readonly onRecorded: OnRecorded;
  /** See {@link FollowParts}. */
  readonly idle?: (() => Promise<void>) | undefined;
}

export interface Journal {
  /** Another process takes over. */
  stop(): Promise<void>;
}

/** Maintains the journal until stopped; only one process per database at a time. */
export function startJournal(parts: JournalParts): Journal {
  const { collections, registry, log, onRecorded, idle } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const count = createCounting(registry);
  const faults = createFaults(collections, log);

  async function keep(lost: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const until = AbortSignal.any([signal, lost, ended.signal]);
    const sweeping = sweepNowAndThen(parts, until);
    try {
      await follow({ collections, onRecorded, idle, log, faults, count }, until);
    } finally {
      ended.abort();
      await sweeping;
    }
  }

  const running = repeat(() => withFreeLock(collections.db, "journal", keep, LEASE_MS), {
    everyMs: RETRY_MS,
    signal,
    onFault: (error) => {
      faults.interrupted(error);
      log.warn({ err: error }, "the journal was interrupted; resuming after its last entry");
    },
  });
  return {
    stop: async () => {
      stopping.abort();
      // An unresponsive database is not waited for; the lease expires.
      await waitAtMost(STOP_MS, running);
    },
  };
}

function sweepNowAndThen({ collections, log, retentionDays }: JournalParts, signal: AbortSignal): Promise<void> {
  const sweep = (): Promise<void> => sweepJournal(collections, new Date(Date.now() - retentionDays * DAY_MS), signal);
  return repeat(sweep, {
    everyMs: SWEEP_EVERY_MS,
    waitsFirst: true,
    signal,
    onFault: (error) => {
      log.warn({ err: error }, "a journal sweep was interrupted; resuming");
    },
  });
}

/** Counts entries, and measures their lag. */
function createCounting(registry: Registry): (made: number, lagMs: number) => void {
  const entries = new Counter({
    name: "nts_journal_entries_total",
    help: "Journal entries written by this process.",
    registers: [registry],
  });
  const lag = new Histogram({
    name: "nts_journal_lag_seconds",
    help: "Time from the commit of a change until its journal entry is readable.",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.3, 1, 3, 10, 60],
    registers: [registry],
  });
  return (made, lagMs) => {
    entries.inc(made);
    lag.observe(Math.max(0, lagMs) / 1_000);
  };
}
