import { setTimeout as delay } from "node:timers/promises";
import type { Collection } from "mongodb";
import type { Log } from "@nts/shared/log";
import { STREAM_MS } from "@nts/shared/mongo/connect";
import {
  BY_ID,
  FREE_ADDRESSES_INDEX,
  GUARD_INDEX,
  HOST_BINDINGS_INDEX,
  HOST_ORDER_INDEX,
  HOST_PORTS_INDEX,
  type IndexKey,
  orderIndex,
  SERVICE_TRAILING,
  TAG_INDEX,
} from "../storage/indexes.js";
import { finishNetworks } from "./networks.js";
import type { Notices } from "./notices.js";
import type { DeletionDocument } from "../storage/deletions.js";
import type { Storage } from "../storage/storage.js";
import type { Released } from "../storage/stores/addresses.js";
import { scopeWithout, TAGGED, takeOffInPassing } from "./take-off.js";

// Deletes the documents of what is hidden, and takes hidden tags off documents. Every step may be repeated, so a sweep that
// is cut off goes on in whichever process finds it next; two at once do no harm.

/** Documents that are deleted or changed at a time. */
const BATCH = 200;
/** The share of its time in which a sweep works; in the rest others have the database to themselves. */
const DUTY = 0.75;
/** A batch is not waited for until a majority has it on disk: the entry that the deletion is swept is, and stands behind it. */
const UNCONFIRMED = { w: 1, journal: false } as const;

export interface SweepTimes {
  /**
   * Milliseconds from hiding to the first batch. Longer than any request: one that began before may still be reading what
   * is hidden, and must not see half of it.
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
  /** @param documents that were deleted or changed just now */
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

  async function announce(deletion: DeletionDocument): Promise<void> {
    const { _id, kind, organization_id, ids = [] } = deletion;
    if (kind === "network") await finishNetworks(storage, notices, [deletion]);
    if (kind === "tags") for (const id of ids) notices.tagDeleted(organization_id, id);
    await deletions.updateOne({ _id }, { $set: { announced: true } });
  }

  async function sweepOne(deletion: DeletionDocument): Promise<void> {
    const begun = performance.now();
    const { _id, kind, organization_id } = deletion;
    const about = { organization_id, deletion: _id, kind };
    log.info(about, "sweeping what was deleted");
    if (deletion.announced !== true) await announce(deletion);
    const documents = await SWEEPS[kind](parts, deletion);
    if (signal.aborted) return;
    await deletions.updateOne({ _id }, { $currentDate: { swept_at: true } });
    const seconds = Math.round((performance.now() - begun) / 1_000);
    log.info({ ...about, documents, seconds }, "swept what was deleted");
  }

  return {
    run: async () => {
      const unswept = { swept_at: { $exists: false }, ...due("deleted_at", times.graceMs) };
      for (const deletion of await deletions.find(unswept).sort({ deleted_at: 1 }).toArray())
        if (!signal.aborted) await sweepOne(deletion);
      const kept = { swept_at: { $exists: true }, ...due("swept_at", times.keepMs) };
      for (const deletion of await deletions.find(kept).toArray()) {
        // Whatever came in the meantime would be seen again from now on.
        const late = await SWEEPS[deletion.kind](parts, deletion);
        if (late > 0)
          log.warn({ deletion: deletion._id, documents: late }, "what was deleted was written after its sweep");
        if (!signal.aborted) await deletions.deleteOne({ _id: deletion._id });
      }
    },
  };
}

/** Sweeps a deletion. @returns how many documents were deleted or changed */
type SweepKind = (parts: SweepParts, deletion: DeletionDocument) => Promise<number>;

const SWEEPS: Readonly<Record<DeletionDocument["kind"], SweepKind>> = {
  network: async (parts, { _id, organization_id }) => {
    const { addresses, bindings, services, ports, interfaces, hosts, subnets, guards } = parts.storage;
    const inIt = { organization_id, network_id: _id };
    let total = await deleteMatching(parts, guards.collection, { ...inIt, kind: "subnet" }, GUARD_INDEX);
    // What names others goes before what it names.
    for (const { collection } of [bindings, services, ports, interfaces, hosts, subnets]) {
      const trailing = collection === services.collection ? SERVICE_TRAILING : {};
      total += await deleteMatching(parts, collection, inIt, orderIndex("created_at", true, trailing));
    }
    return total + (await deleteMatching(parts, addresses.collection, inIt, FREE_ADDRESSES_INDEX));
  },
  hosts: async (parts, { organization_id, ids = [] }) => {
    const { addresses, bindings, services, ports, interfaces } = parts.storage;
    const onThem = { organization_id, host_id: { $in: ids } };
    const release = async (batch: readonly string[]): Promise<void> => {
      const placed = { _id: { $in: [...batch] }, organization_id };
      const projection = { subnet_id: 1, network_id: 1, ip_key: 1 } as const;
      const options = { projection, hint: BY_ID };
      await addresses.release(
        { organizationId: organization_id },
        await interfaces.collection.find<Released & { _id: string }>(placed, options).toArray(),
      );
    };
    let total = await deleteMatching(parts, bindings.collection, onThem, HOST_BINDINGS_INDEX);
    total += await deleteMatching(parts, services.collection, onThem, HOST_ORDER_INDEX);
    total += await deleteMatching(parts, ports.collection, onThem, HOST_PORTS_INDEX);
    const matching = { filter: onThem, hint: HOST_ORDER_INDEX };
    const stored = interfaces.collection as unknown as Stored;
    total += await sweepMatching(parts, stored, matching, async (batch) => {
      await release(batch);
      return deleteBatch(stored, organization_id, batch);
    });
    return total;
  },
  tags: async (parts, { organization_id, ids = [], deleted_at }) => {
    const { storage } = parts;
    const scope = scopeWithout(organization_id, new Map(ids.map((id) => [id, deleted_at])));
    const carriers = { organization_id, tags: { $in: ids } };
    const matching = { filter: carriers, hint: TAG_INDEX };
    let total = 0;
    for (const kind of TAGGED)
      for (let found = -1; found !== 0 && !parts.signal.aborted; total += found)
        // Until nothing is found: others may have written some of them at the same time.
        found = await sweepMatching(parts, storage[kind].collection, matching, (ids) =>
          takeOffInPassing(storage, scope, { kind, ids }),
        );
    return total;
  },
};

type Stored = Collection<{ _id: string; organization_id: string }>;
type Matching = Readonly<Record<string, unknown>> & { readonly organization_id: string };

function deleteMatching<T extends { _id: string; organization_id: string }>(
  parts: SweepParts,
  stored: Collection<T>,
  filter: Matching,
  hint: IndexKey,
): Promise<number> {
  const collection = stored as unknown as Stored;
  return sweepMatching(parts, collection, { filter, hint }, (batch) =>
    deleteBatch(collection, filter.organization_id, batch),
  );
}

async function deleteBatch(stored: Stored, organization_id: string, batch: readonly string[]): Promise<number> {
  const gone = { _id: { $in: [...batch] }, organization_id };
  return (await stored.deleteMany(gone, { hint: BY_ID, writeConcern: UNCONFIRMED })).deletedCount;
}

/** Works on what matches, in batches with pauses. @param hint of the index that tells what matches */
async function sweepMatching<T extends { _id: string }>(
  { count, signal }: SweepParts,
  stored: Collection<T>,
  { filter, hint }: { filter: Matching; hint: IndexKey },
  work: (batch: readonly string[]) => Promise<number>,
): Promise<number> {
  const collection = stored as unknown as Stored;
  let total = 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const begun = performance.now();
    const done = await work(batch);
    total += done;
    count(done);
    batch = [];
    await delay(((performance.now() - begun) * (1 - DUTY)) / DUTY);
  };
  // One cursor over all ids: beginning again would pass over everything that was deleted just now.
  const options = { hint, projection: { _id: 1 }, batchSize: BATCH, maxTimeMS: STREAM_MS } as const;
  for await (const { _id } of collection.find(filter, options)) {
    if (signal.aborted) return total;
    if (batch.push(_id) === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return total;
}
