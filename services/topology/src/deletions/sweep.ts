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
import { journalCollections } from "../journal/collections.js";
import { areToldChanged, areToldGone } from "../journal/ahead.js";
import { finishNetworks } from "./networks.js";
import type { Notices } from "./notices.js";
import type { DeletionDocument, DueDeletion } from "../storage/deletion-records.js";
import type { Matching, Sweepable } from "../storage/sweepable.js";
import { TAGGED_KINDS } from "../storage/kinds.js";
import type { Storage } from "../storage/storage.js";
import { wholeOrganization } from "../storage/whole-organization.js";
import { scopeWithout, takeOffInPassing } from "./take-off.js";

// Deletes documents of hidden entities, and removes hidden tags from documents. Every step is idempotent, so an interrupted sweep is
// resumed by any process, and concurrent sweeps are harmless.

/** Documents per batch; small, because concurrent writes wait for a batch. */
const BATCH = 50;
/** The share of time in which a sweep works; it pauses in between to leave the database to others. */
const DUTY = 0.75;

export interface SweepTimes {
  /**
   * Milliseconds from hiding to the first batch. Longer than any request, because requests that started earlier may still be
   * reading hidden entities.
   */
  readonly graceMs: number;
  /**
   * Milliseconds from hiding after which entities are swept even if the journal does not have their deletion yet. Until then, the
   * sweep follows the journal, which ignores its writes.
   */
  readonly untoldMs: number;
  /** Milliseconds from the last deleted document until the deletion record is removed; also longer than any request. */
  readonly keepMs: number;
}

export const SWEEP_TIMES: SweepTimes = { graceMs: 10_000, untoldMs: 900_000, keepMs: 60_000 };

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

  async function sweepOne(deletion: DueDeletion): Promise<void> {
    const begun = performance.now();
    const { _id, kind, organization_id } = deletion;
    const ahead = new AbortController();
    const pass: Pass = {
      ...parts,
      signal: AbortSignal.any([signal, ahead.signal]),
      leave: () => {
        ahead.abort();
      },
    };
    const documents = await SWEEPS[kind](pass, deletion);
    if (signal.aborted) return;
    const isAll = !ahead.signal.aborted;
    if (isAll) await deletions.markSwept(deletion);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const about = { organization_id, deletion: _id, kind, documents, seconds };
    if (isAll || documents > 0) log.info(about, isAll ? "swept what was deleted" : "swept deleted entities");
  }

  return {
    run: async () => {
      for (const deletion of await deletions.unannounced(times.graceMs)) await announce(deletion);
      const due = await deletions.unswept(times.graceMs, times.untoldMs);
      for (const deletion of due) if (!signal.aborted) await sweepOne(deletion);
      for (const deletion of await deletions.swept(times.keepMs)) {
        // Documents written meanwhile would become visible once the record is removed.
        const late = await SWEEPS[deletion.kind](
          { ...parts, leave: () => undefined },
          { ...deletion, isSettled: true },
        );
        if (late > 0)
          log.warn({ deletion: deletion._id, documents: late }, "deleted entities were written after their sweep");
        if (!signal.aborted) await deletions.forget(deletion);
      }
    },
  };
}

/** One pass over a deletion. Its signal aborts at entities whose deletion is not in the journal yet; the next pass resumes there. */
interface Pass extends SweepParts {
  leave(): void;
}

/** @returns the number of deleted or changed documents */
type SweepKind = (pass: Pass, deletion: DueDeletion) => Promise<number>;

const SWEEPS: Readonly<Record<DeletionDocument["kind"], SweepKind>> = {
  network: async (pass, deletion) => {
    const { addresses, bindings, guards } = pass.storage;
    const { _id, organization_id } = deletion;
    const inIt = { organization_id, network_id: _id };
    let total = await deleteMatching(pass, guards.sweepable, { ...inIt, kind: "subnet" }, GUARD_INDEX);
    total += await deleteMatching(pass, bindings.sweepable, inIt, creationIndex("bindings", true));
    // Referencing entities before referenced ones.
    for (const kind of ["services", "ports", "interfaces", "hosts", "subnets"] as const)
      total += await deleteEntities(pass, deletion, { kind, filter: inIt, hint: creationIndex(kind, true) });
    return total + (await deleteMatching(pass, addresses.sweepable, inIt, FREE_ADDRESSES_INDEX));
  },
  hosts: async (pass, deletion) => {
    const { bindings, interfaces } = pass.storage;
    const { organization_id, ids = [] } = deletion;
    const filter = { organization_id, host_id: { $in: ids } };
    let total = await deleteMatching(pass, bindings.sweepable, filter, HOST_BINDINGS_INDEX);
    total += await deleteEntities(pass, deletion, { kind: "services", filter, hint: HOST_ORDER_INDEX });
    total += await deleteEntities(pass, deletion, { kind: "ports", filter, hint: HOST_PORTS_INDEX });
    const release = (batch: readonly string[]): Promise<void> => interfaces.releaseAddresses(organization_id, batch);
    const ofInterfaces = { kind: "interfaces", filter, hint: HOST_ORDER_INDEX, before: release } as const;
    return total + (await deleteEntities(pass, deletion, ofInterfaces));
  },
  tags: async (pass, deletion) => {
    const { organization_id: organizationId, ids = [], deleted_at } = deletion;
    const { storage } = pass;
    const journal = journalCollections(storage.database.db);
    const scope = scopeWithout(organizationId, new Map(ids.map((id) => [id, deleted_at])));
    const carriers = { organization_id: organizationId, tags: { $in: ids } };
    const matching = { filter: carriers, hint: TAG_INDEX };
    let total = 0;
    for (const kind of TAGGED_KINDS)
      for (let found = -1; found !== 0 && !pass.signal.aborted; total += found)
        // Repeated until nothing is found, because of concurrent writes.
        found = await sweepMatching(pass, storage[kind].sweepable, matching, async (batch) => {
          const asked = { organizationId, collection: kind, ids: batch };
          const turn = await turnOf(pass, deletion, () => areToldChanged(journal, asked));
          if (turn === null) return 0;
          const sweptBy = turn === "told" ? deletion._id : undefined;
          return takeOffInPassing(storage, scope, { kind, ids: batch, sweptBy });
        });
    return total;
  },
  organization: async (pass, { organization_id, journaled = false, isSettled }) => {
    // Afterwards, the journal ignores the organization.
    if (!journaled && !isSettled) {
      pass.leave();
      return 0;
    }
    let total = 0;
    for (const { documents, hint } of wholeOrganization(pass.storage.database.db))
      total += await deleteMatching(pass, documents, { organization_id }, hint);
    return total;
  },
};

function deleteMatching(pass: Pass, sweepable: Sweepable, filter: Matching, hint: IndexKey): Promise<number> {
  return sweepMatching(pass, sweepable, { filter, hint }, (batch) => sweepable.remove(filter.organization_id, batch));
}

interface SweptEntities {
  readonly kind: "services" | "ports" | "interfaces" | "hosts" | "subnets";
  readonly filter: Matching;
  readonly hint: IndexKey;
  /** Called with each batch before it is deleted. */
  readonly before?: (batch: readonly string[]) => Promise<void>;
}

/**
 * Deletes entities that have journal entries, but only after the journal has recorded their deletion, for which it reads them. After
 * `untoldMs`, they are deleted and recorded like any other deletion.
 */
function deleteEntities(
  pass: Pass,
  deletion: DueDeletion,
  { kind, filter, hint, before }: SweptEntities,
): Promise<number> {
  const { deletions, database, transaction, [kind]: entities } = pass.storage;
  const { organization_id: organizationId } = deletion;
  const journal = journalCollections(database.db);
  return sweepMatching(pass, entities.sweepable, { filter, hint }, async (batch) => {
    const asked = { organizationId, collection: kind, ids: batch };
    const turn = await turnOf(pass, deletion, () => areToldGone(journal, asked));
    if (turn === null) return 0;
    await before?.(batch);
    if (turn === "told") return entities.sweepable.remove(organizationId, batch);
    return transaction(BACKGROUND, [], async (tx) => {
      await deletions.note(tx, deletion.organization_id, deletion.by);
      return entities.sweepable.remove(organizationId, batch, tx);
    });
  });
}

/** Whether the journal has recorded a batch, or is no longer waited for; null, which ends the pass, if neither. */
async function turnOf(
  pass: Pass,
  { isSettled, journaled = false }: DueDeletion,
  isTold: () => Promise<boolean>,
): Promise<"told" | "settled" | null> {
  if (journaled || (await isTold())) return "told";
  if (isSettled) return "settled";
  pass.leave();
  return null;
}

/** Processes matching documents in batches with pauses. @param hint the index for the filter */
async function sweepMatching(
  { storage: { database }, count, signal }: SweepParts,
  sweepable: Sweepable,
  { filter, hint }: { filter: Matching; hint: IndexKey },
  work: (batch: readonly string[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    await database.idle();
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
