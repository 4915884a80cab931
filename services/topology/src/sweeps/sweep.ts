import { setTimeout as delay } from "node:timers/promises";
import type { Collection } from "mongodb";
import type { Log } from "@nts/shared/log";
import { GUARD_INDEX, type IndexKey, orderIndex, SERVICE_TRAILING } from "../indexes.js";
import { finishDeletions } from "../networks/delete.js";
import type { Notices } from "../notices.js";
import type { DeletionDocument } from "../storage/deletions.js";
import type { Storage } from "../storage/storage.js";

// Deletes the documents of hidden networks. Every step may be repeated, so a sweep that is cut off goes on in whichever
// process finds it next; two at once do no harm.

/** Documents that are deleted at a time. */
const BATCH = 200;
/** The share of its time in which a sweep works; in the rest others have the database to themselves. */
const DUTY = 0.5;

export interface SweepTimes {
  /**
   * Milliseconds from hiding to the first deleted document. Longer than any request: one that began before the network was
   * hidden may still be reading it, and must not see half of it.
   */
  readonly graceMs: number;
  /** Milliseconds from the last deleted document until the deletion is forgotten; longer than any request, too. */
  readonly keepMs: number;
}

export const SWEEP_TIMES: SweepTimes = { graceMs: 10_000, keepMs: 60_000 };

export interface Sweep {
  /** Does what is due. */
  run(): Promise<void>;
}

export interface SweepParts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly log: Log;
  readonly times?: SweepTimes;
  /** @param documents that were deleted just now */
  readonly count: (documents: number) => void;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

export function createSweep(parts: SweepParts): Sweep {
  const { storage, notices, log, times = SWEEP_TIMES, signal } = parts;
  const deletions = storage.deletions.collection;

  /** Deletions since whose moment this much time has passed, by the clock of the database. */
  const due = (moment: "deleted_at" | "swept_at", ms: number): object => ({
    $expr: { $lte: [`$${moment}`, { $subtract: ["$$NOW", ms] }] },
  });

  async function sweepOne(deletion: DeletionDocument): Promise<void> {
    const begun = performance.now();
    const ids = { organization_id: deletion.organization_id, network_id: deletion._id };
    log.info(ids, "sweeping a deleted network");
    if (deletion.announced !== true) await finishDeletions(storage, notices, [deletion]);
    const documents = await sweepNetwork(parts, deletion);
    if (signal.aborted) return;
    await deletions.updateOne({ _id: deletion._id }, { $currentDate: { swept_at: true } });
    log.info(
      { ...ids, documents, seconds: Math.round((performance.now() - begun) / 1_000) },
      "swept a deleted network",
    );
  }

  return {
    run: async () => {
      const unswept = { swept_at: { $exists: false }, ...due("deleted_at", times.graceMs) };
      for (const deletion of await deletions.find(unswept).sort({ deleted_at: 1 }).toArray())
        if (!signal.aborted) await sweepOne(deletion);
      const kept = { swept_at: { $exists: true }, ...due("swept_at", times.keepMs) };
      for (const deletion of await deletions.find(kept).toArray()) {
        // Whatever came in the meantime would be seen again from now on.
        const late = await sweepNetwork(parts, deletion);
        if (late > 0)
          log.warn({ network_id: deletion._id, documents: late }, "a deleted network was written after its sweep");
        if (!signal.aborted) await deletions.deleteOne({ _id: deletion._id });
      }
    },
  };
}

/** @returns how many documents were deleted */
async function sweepNetwork(parts: SweepParts, { _id, organization_id }: DeletionDocument): Promise<number> {
  const { bindings, services, ports, interfaces, hosts, subnets, guards } = parts.storage;
  const inIt = { organization_id, network_id: _id };
  let total = await sweepMatching(parts, guards.collection, { ...inIt, kind: "subnet" }, GUARD_INDEX);
  // What names others goes before what it names.
  for (const { collection } of [bindings, services, ports, interfaces, hosts, subnets]) {
    const trailing = collection === services.collection ? SERVICE_TRAILING : {};
    total += await sweepMatching(parts, collection, inIt, orderIndex("created_at", true, trailing));
  }
  return total;
}

/** Deletes what matches, in batches with pauses. @param hint an index that tells the ids of what matches */
async function sweepMatching<T extends { _id: string; organization_id: string }>(
  { count, signal }: SweepParts,
  stored: Collection<T>,
  filter: Readonly<Record<string, unknown>> & { readonly organization_id: string },
  hint: IndexKey,
): Promise<number> {
  const collection = stored as unknown as Collection<{ _id: string; organization_id: string }>;
  let total = 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const begun = performance.now();
    const gone = { organization_id: filter.organization_id, _id: { $in: batch } };
    const { deletedCount } = await collection.deleteMany(gone);
    total += deletedCount;
    count(deletedCount);
    batch = [];
    await delay(((performance.now() - begun) * (1 - DUTY)) / DUTY);
  };
  // One cursor over all ids: beginning again would pass over everything that was deleted just now.
  for await (const { _id } of collection.find(filter, { hint, projection: { _id: 1 }, batchSize: BATCH })) {
    if (signal.aborted) return total;
    if (batch.push(_id) === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return total;
}
