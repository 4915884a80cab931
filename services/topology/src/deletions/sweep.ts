import { setTimeout as delay } from "node:timers/promises";
import { KINDS } from "@nts/shared/contract/kinds";
import type { Log } from "@nts/shared/log";
import { restMs } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import {
  creationIndex,
  FREE_ADDRESSES_INDEX,
  GUARD_INDEX,
  type IndexKey,
  ON_HOST_INDEXES,
  TAG_INDEX,
} from "../storage/indexes.js";
import { finishNetworks } from "./networks.js";
import type { Notices } from "./notices.js";
import type { DeletionDocument } from "../storage/deletion-records.js";
import type { Matching, Sweepable } from "../storage/sweepable.js";
import { GUARDED, IN_NETWORKS, isPart, ON_HOSTS, TAGGED } from "../kinds/index.js";
import type { Storage } from "../storage/storage.js";
import { wholeOrganization } from "../storage/whole-organization.js";
import { scopeWithout } from "./take-off.js";

// Deletes documents of hidden entities, and removes hidden tags from documents. Every step is idempotent, so an interrupted sweep is
// resumed by any process, and concurrent sweeps are harmless.

/** Documents per batch; small, because concurrent writes wait for a batch. */
const BATCH = 50;
/**
 * The share of time in which a sweep works; it pauses in between to leave the database to others. To rewrite a document takes
 * twice as long as to delete it, so rewrites pause less.
 */
const DUTY = { deletes: 0.65, rewrites: 0.85 } as const;

export interface SweepTimes {
  /**
   * Milliseconds from hiding to the first batch. Longer than any request, because requests that started earlier may still be
   * reading hidden entities.
   */
  readonly graceMs: number;
  /**
   * Milliseconds from hiding after which a sweep no longer waits for the journal. Until then it begins when the journal has
   * recorded the deletion of everything hidden, for which it reads the documents; it ignores the writes of the sweep.
   */
  readonly unrecordedMs: number;
  /** Milliseconds from the last deleted document until the deletion record is removed; also longer than any request. */
  readonly keepMs: number;
}

export const SWEEP_TIMES: SweepTimes = { graceMs: 10_000, unrecordedMs: 900_000, keepMs: 60_000 };

export interface Sweep {
  /** Processes due deletions. */
  run(): Promise<void>;
}

export interface SweepParts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly log: Log;
  readonly times?: SweepTimes;
  /** @param documents number of documents deleted or changed since the last call */
  readonly count: (documents: number) => void;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

export function createSweep(parts: SweepParts): Sweep {
  const { storage, notices, log, times = SWEEP_TIMES, signal } = parts;
  const { deletions } = storage;

  async function announce(deletion: DeletionDocument): Promise<void> {
    const { _id, kind, organization_id, ids = [] } = deletion;
    if (kind === "network") await finishNetworks(storage, notices, [deletion]);
    if (kind === "tags") for (const id of ids) notices.tagDeleted(organization_id, id);
    await deletions.markAnnounced([organization_id], [_id]);
  }

  async function sweepOne(deletion: DeletionDocument): Promise<void> {
    const startedAt = performance.now();
    const { _id, kind, organization_id } = deletion;
    const documents = await SWEEPS[kind](parts, deletion);
    if (signal.aborted) return;
    await deletions.markSwept(deletion);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    log.info({ organization_id, deletion: _id, kind, documents, seconds }, "deleted entities were swept");
  }

  return {
    run: async () => {
      for (const deletion of await deletions.unannounced(times.graceMs)) await announce(deletion);
      const due = await deletions.unswept(times.graceMs, times.unrecordedMs);
      for (const deletion of due) if (!signal.aborted) await sweepOne(deletion);
      for (const deletion of await deletions.swept(times.keepMs)) {
        // Documents written meanwhile would become visible once the record is removed.
        const late = await SWEEPS[deletion.kind](parts, deletion);
        if (late > 0)
          log.warn({ deletion: deletion._id, documents: late }, "deleted entities were written after their sweep");
        if (!signal.aborted) await deletions.forget(deletion);
      }
    },
  };
}

/** @returns the number of deleted or changed documents */
type SweepKind = (parts: SweepParts, deletion: DeletionDocument) => Promise<number>;

const SWEEPS: Readonly<Record<DeletionDocument["kind"], SweepKind>> = {
  network: async (parts, deletion) => {
    const { addresses, guards } = parts.storage;
    const { _id, organization_id } = deletion;
    const inIt = { organization_id, network_id: _id };
    let total = 0;
    for (const name of GUARDED)
      total += await deleteMatching(parts, guards.sweepable, { ...inIt, kind: KINDS[name].singular }, GUARD_INDEX);
    for (const kind of IN_NETWORKS)
      total += await deleteEntities(parts, deletion, {
        kind,
        filter: inIt,
        hint: creationIndex(true),
      });
    return total + (await deleteMatching(parts, addresses.sweepable, inIt, FREE_ADDRESSES_INDEX));
  },
  hosts: async (parts, deletion) => {
    const { interfaces } = parts.storage;
    const { organization_id, ids = [] } = deletion;
    const filter = { organization_id, host_id: { $in: ids } };
    const release = (batch: readonly string[]): Promise<void> => interfaces.releaseAddresses(organization_id, batch);
    let total = 0;
    for (const kind of ON_HOSTS) {
      const before = kind === "interfaces" ? release : undefined;
      total += await deleteEntities(parts, deletion, { kind, filter, hint: ON_HOST_INDEXES[kind], before });
    }
    return total;
  },
  tags: async (parts, { _id, organization_id: organizationId, ids = [], deleted_at, journaled = false }) => {
    const { storage, signal } = parts;
    const sweptBy = journaled ? _id : undefined;
    const scope = scopeWithout(organizationId, new Map(ids.map((id) => [id, deleted_at])));
    const carriers = { organization_id: organizationId, tags: { $in: ids } };
    let total = 0;
    for (const kind of TAGGED)
      for (let found = -1; found !== 0 && !signal.aborted; total += found) {
        // Repeated until nothing is found, because concurrently written entities are skipped.
        const carrying = storage[kind].sweepable.entities(carriers, { hint: TAG_INDEX, batch: BATCH });
        found = await sweepMatching(parts, carrying, "rewrites", async (batch) => {
          await storage[kind].storeWithoutTags(scope, batch, sweptBy);
          return batch.length;
        });
      }
    return total;
  },
  organization: async (parts, { organization_id }) => {
    let total = 0;
    for (const { documents, hint } of wholeOrganization(parts.storage.database.db))
      total += await deleteMatching(parts, documents, { organization_id }, hint);
    return total;
  },
};

function deleteMatching(parts: SweepParts, sweepable: Sweepable, filter: Matching, hint: IndexKey): Promise<number> {
  const ids = sweepable.ids(filter, { hint, batch: BATCH });
  return sweepMatching(parts, ids, "deletes", (batch) => sweepable.remove(filter.organization_id, batch));
}

interface SweptEntities {
  readonly kind: (typeof IN_NETWORKS)[number];
  readonly filter: Matching;
  readonly hint: IndexKey;
  /** Called with each batch before it is deleted. */
  readonly before?: ((batch: readonly string[]) => Promise<void>) | undefined;
}

/**
 * Deletes entities and their parts. If the journal has not recorded the deletion of the entities yet, it records that of
 * the sweep.
 */
function deleteEntities(
  parts: SweepParts,
  { organization_id: organizationId, by, journaled = false }: DeletionDocument,
  { kind, filter, hint, before }: SweptEntities,
): Promise<number> {
  const { deletions, transaction } = parts.storage;
  const { sweepable } = parts.storage[kind];
  const isRecorded = journaled || isPart(kind);
  return sweepMatching(parts, sweepable.ids(filter, { hint, batch: BATCH }), "deletes", async (batch) => {
    await before?.(batch);
    if (isRecorded) return sweepable.remove(organizationId, batch);
    return transaction(BACKGROUND, [], async (tx) => {
      await deletions.note(tx, organizationId, by);
      return sweepable.remove(organizationId, batch, tx);
    });
  });
}

/** Processes documents, or their ids, in batches with pauses. */
async function sweepMatching<T>(
  { storage: { database }, count, signal }: SweepParts,
  documents: AsyncIterable<T>,
  how: keyof typeof DUTY,
  work: (batch: readonly T[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  let batch: T[] = [];
  const flush = async (): Promise<void> => {
    await database.idle();
    const startedAt = performance.now();
    const done = await work(batch);
    total += done;
    count(done);
    batch = [];
    await delay(restMs(startedAt, DUTY[how]));
  };
  for await (const document of documents) {
    if (signal.aborted) return total;
    if (batch.push(document) === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return total;
}
