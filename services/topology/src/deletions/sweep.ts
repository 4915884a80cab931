import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@nts/shared/log";
import { restMs } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import {
  creationIndex,
  FREE_ADDRESSES_INDEX,
  GUARD_INDEX,
  HOST_BINDINGS_INDEX,
  HOST_ORDER_INDEX,
  HOST_PORTS_INDEX,
  type IndexKey,
  TAG_INDEX,
} from "../storage/indexes.js";
import { finishNetworks } from "./networks.js";
import type { Notices } from "./notices.js";
import type { DeletionDocument } from "../storage/deletion-records.js";
import type { Matching, Sweepable } from "../storage/sweepable.js";
import { TAGGED_KINDS } from "../storage/kinds.js";
import type { Storage } from "../storage/storage.js";
import { scopeWithout, takeOffInPassing } from "./take-off.js";

// Deletes the documents of what is hidden, and takes hidden tags off documents. Every step may be repeated, so a sweep that
// is cut off goes on in whichever process finds it next; two at once do no harm.

/** Documents that are deleted or changed at a time. */
const BATCH = 200;
/** The share of its time in which a sweep works; in the rest others have the database to themselves. */
const DUTY = 0.75;

export interface SweepTimes {
  /**
   * Milliseconds from hiding to the first batch. Longer than any request: one that began before may still be reading what
   * is hidden, and must not see half of it.
   */
  readonly graceMs: number;
  /**
   * Milliseconds from hiding after which is swept what the journal has not told of. Until then it is read for that, and what
   * a sweep did meanwhile would have to be told behind it.
   */
  readonly untoldMs: number;
  /** Milliseconds from the last deleted document until the deletion is forgotten; longer than any request, too. */
  readonly keepMs: number;
}

export const SWEEP_TIMES: SweepTimes = { graceMs: 10_000, untoldMs: 900_000, keepMs: 60_000 };

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
  const { deletions } = storage;

  async function announce(deletion: DeletionDocument): Promise<void> {
    const { _id, kind, organization_id, ids = [] } = deletion;
    if (kind === "network") await finishNetworks(storage, notices, [deletion]);
    if (kind === "tags") for (const id of ids) notices.tagDeleted(organization_id, id);
    await deletions.markAnnounced([organization_id], [_id]);
  }

  async function sweepOne(deletion: DeletionDocument): Promise<void> {
    const begun = performance.now();
    const { _id, kind, organization_id } = deletion;
    const about = { organization_id, deletion: _id, kind };
    log.info(about, "sweeping what was deleted");
    const documents = await SWEEPS[kind](parts, deletion);
    if (signal.aborted) return;
    await deletions.markSwept(deletion);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    log.info({ ...about, documents, seconds }, "swept what was deleted");
  }

  return {
    run: async () => {
      for (const deletion of await deletions.unannounced(times.graceMs)) await announce(deletion);
      const due = await deletions.unswept(times.graceMs, times.untoldMs);
      for (const deletion of due) if (!signal.aborted) await sweepOne(deletion);
      for (const deletion of await deletions.swept(times.keepMs)) {
        // Whatever came in the meantime would be seen again from now on.
        const late = await SWEEPS[deletion.kind](parts, deletion);
        if (late > 0)
          log.warn({ deletion: deletion._id, documents: late }, "what was deleted was written after its sweep");
        if (!signal.aborted) await deletions.forget(deletion);
      }
    },
  };
}

/** Sweeps a deletion. @returns how many documents were deleted or changed */
type SweepKind = (parts: SweepParts, deletion: DeletionDocument) => Promise<number>;

const SWEEPS: Readonly<Record<DeletionDocument["kind"], SweepKind>> = {
  network: async (parts, deletion) => {
    const { addresses, bindings, guards } = parts.storage;
    const { _id, organization_id } = deletion;
    const inIt = { organization_id, network_id: _id };
    let total = await deleteMatching(parts, guards.sweepable, { ...inIt, kind: "subnet" }, GUARD_INDEX);
    total += await deleteMatching(parts, bindings.sweepable, inIt, creationIndex("bindings", true));
    // What names others goes before what it names.
    for (const kind of ["services", "ports", "interfaces", "hosts", "subnets"] as const)
      total += await deleteEntities(parts, deletion, { kind, filter: inIt, hint: creationIndex(kind, true) });
    return total + (await deleteMatching(parts, addresses.sweepable, inIt, FREE_ADDRESSES_INDEX));
  },
  hosts: async (parts, deletion) => {
    const { bindings, interfaces } = parts.storage;
    const { organization_id, ids = [] } = deletion;
    const filter = { organization_id, host_id: { $in: ids } };
    let total = await deleteMatching(parts, bindings.sweepable, filter, HOST_BINDINGS_INDEX);
    total += await deleteEntities(parts, deletion, { kind: "services", filter, hint: HOST_ORDER_INDEX });
    total += await deleteEntities(parts, deletion, { kind: "ports", filter, hint: HOST_PORTS_INDEX });
    const release = (batch: readonly string[]): Promise<void> => interfaces.releaseAddresses(organization_id, batch);
    const ofInterfaces = { kind: "interfaces", filter, hint: HOST_ORDER_INDEX, before: release } as const;
    return total + (await deleteEntities(parts, deletion, ofInterfaces));
  },
  tags: async (parts, { organization_id, ids = [], deleted_at }) => {
    const { storage } = parts;
    const scope = scopeWithout(organization_id, new Map(ids.map((id) => [id, deleted_at])));
    const carriers = { organization_id, tags: { $in: ids } };
    const matching = { filter: carriers, hint: TAG_INDEX };
    let total = 0;
    for (const kind of TAGGED_KINDS)
      for (let found = -1; found !== 0 && !parts.signal.aborted; total += found)
        // Until nothing is found: others may have written some of them at the same time.
        found = await sweepMatching(parts, storage[kind].sweepable, matching, (ids) =>
          takeOffInPassing(storage, scope, { kind, ids }),
        );
    return total;
  },
};

function deleteMatching(parts: SweepParts, sweepable: Sweepable, filter: Matching, hint: IndexKey): Promise<number> {
  return sweepMatching(parts, sweepable, { filter, hint }, (batch) => sweepable.remove(filter.organization_id, batch));
}

interface SweptEntities {
  readonly kind: "services" | "ports" | "interfaces" | "hosts" | "subnets";
  readonly filter: Matching;
  readonly hint: IndexKey;
  /** Done with each batch before it is deleted. */
  readonly before?: (batch: readonly string[]) => Promise<void>;
}

/** The same for what has entries in the journal: it is told by whose deletion they go, and whether it has told of that. */
function deleteEntities(
  parts: SweepParts,
  deletion: DeletionDocument,
  { kind, filter, hint, before }: SweptEntities,
): Promise<number> {
  const { deletions, transaction, [kind]: entities } = parts.storage;
  return sweepMatching(parts, entities.sweepable, { filter, hint }, async (batch) => {
    await before?.(batch);
    return transaction(BACKGROUND, [], async (tx) => {
      await deletions.noteSwept(tx, deletion);
      return entities.sweepable.remove(deletion.organization_id, batch, tx);
    });
  });
}

/** Works on what matches, in batches with pauses. @param hint of the index that tells what matches */
async function sweepMatching(
  { count, signal }: SweepParts,
  sweepable: Sweepable,
  { filter, hint }: { filter: Matching; hint: IndexKey },
  work: (batch: readonly string[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const begun = performance.now();
    const done = await work(batch);
    total += done;
    count(done);
    batch = [];
    await delay(restMs(begun, DUTY));
  };
  for await (const { _id } of sweepable.ids(filter, { hint, batch: BATCH })) {
    if (signal.aborted) return total;
    if (batch.push(_id) === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return total;
}
