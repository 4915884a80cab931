/** Sweeps of a topology under test, on demand. */
import type { Db } from "mongodb";
import { createLog } from "@nts/shared/log";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { ALL_COLLECTIONS } from "@nts/topology/kinds/index";
import { createStorage, type Storage } from "@nts/topology/storage/storage";
import { createSweep, type SweepParts, type SweepTimes } from "@nts/topology/deletions/sweep";
import { journalCollections } from "@nts/topology/journal/collections";
import type { EntityEvent } from "@nts/topology/journal/entries.rules";
import { createEventReader } from "@nts/topology/journal/events";
import { createHiddenThings } from "@nts/topology/journal/hidden";
import { createKnownStates } from "@nts/topology/journal/known";
import { reconcile } from "@nts/topology/journal/reconcile";
import { openStream } from "@nts/topology/journal/stream";
import { createEventRecorder } from "@nts/topology/journal/event-recorder";
import { createJournalWriter } from "@nts/topology/journal/writer";
import { startTopology, type Topology } from "./topology.js";
import { until } from "./until.js";

export interface Sweeps {
  readonly storage: Storage;
  /** The dependencies of a sweep. */
  readonly parts: Pick<SweepParts, "storage" | "notices" | "log">;
  /** Ids in sent notices. */
  readonly announced: readonly string[];
  /** Sweeps all deletions at once. @param count called with every batch */
  sweep(count?: SweepParts["count"], signal?: AbortSignal): Promise<void>;
  /** Sweeps at once what the journal has recorded. */
  sweepRecorded(times?: Partial<SweepTimes>): Promise<void>;
}

/** Two instances on one database, and its sweeps. */
export async function startSweptTopology(): Promise<{ topology: Topology; sweeps: Sweeps }> {
  const topology = await startTopology({ instances: 2 });
  return { topology, sweeps: sweepsOf(topology) };
}

export function sweepsOf({ db }: Pick<Topology, "db">): Sweeps {
  const announced: string[] = [];
  const note = (_organization: string, id: string): void => void announced.push(id);
  const storage = createStorage(db, createTransactions(db.client));
  const notices = { networkDeleted: note, tagDeleted: note, viewDeleted: note, auditNoted: () => undefined };
  const parts = { storage, notices, log: createLog("test", "silent") };
  const times = { graceMs: 0, unrecordedMs: 0, keepMs: 0 };
  return {
    storage,
    parts,
    announced,
    sweep: (count = () => undefined, signal = new AbortController().signal) =>
      createSweep({ ...parts, times, count, signal }).run(),
    sweepRecorded: (others) => {
      const count = (): undefined => undefined;
      const patient = { ...times, unrecordedMs: 3_600_000, ...others };
      return createSweep({ ...parts, times: patient, count, signal: new AbortController().signal }).run();
    },
  };
}

export interface ManualJournal {
  /** Takes the events since the last call. */
  takeEvents(): Promise<void>;
  /** Records this many more entities, in whole batches, or all of them. */
  record(entries?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * A journal that knows all stored entities, and records a large deletion, or many changes, step by step.
 *
 * @param mostHeld maximum bytes of waiting events in memory
 */
export async function startManualJournal(db: Db, mostHeld?: number): Promise<ManualJournal> {
  const collections = journalCollections(db);
  const hidden = createHiddenThings();
  const known = createKnownStates(collections);
  const writer = createJournalWriter(collections, known, { hidden, onRecorded: () => undefined });
  const making = { collections, hidden, known, writer };
  const stream = await openStream(db, null);
  await reconcile(making, new AbortController().signal);
  const recorder = createEventRecorder({ ...making, mostHeld });
  return {
    takeEvents: async () => {
      for (let taken = -1; taken !== 0;) {
        const { events } = await stream.next(500);
        taken = events.length;
        await recorder.take(events);
      }
    },
    record: async (entries = Infinity) => {
      let recorded = 0;
      const recordSome = async (): Promise<boolean> =>
        (recorded += await recorder.goOn()) >= entries || recorder.isDone();
      await until(recordSome, 1);
    },
    close: async () => {
      await recorder.close();
      await stream.close();
    },
  };
}

/** The journal entries of all changes during a task. */
export async function entriesDuring(db: Db, task: () => Promise<void>): Promise<EntityEvent[]> {
  const stream = await openStream(db, null);
  try {
    await task();
    const collections = journalCollections(db);
    const reader = createEventReader(collections, createKnownStates(collections));
    const heard: EntityEvent[] = [];
    const takeSome = async (): Promise<boolean> => {
      const { events } = await stream.next(500);
      heard.push(...(await reader.read(events)));
      return events.length > 0;
    };
    while (await takeSome());
    return heard;
  } finally {
    await stream.close();
  }
}

/** The number of documents of a network. */
export async function documentsIn(db: Db, networkId: string): Promise<number> {
  const names = [...ALL_COLLECTIONS, "guards"];
  const counts = await Promise.all(names.map((name) => db.collection(name).countDocuments({ network_id: networkId })));
  return counts.reduce((sum, count) => sum + count, 0);
}
