import type { Document } from "mongodb";
import { batchesById } from "@nts/shared/mongo/migrations";
import { isOfOrganization } from "../kinds/index.js";
import type { EntityDocument } from "../storage/entities.js";
import { BY_ID, JOURNAL_OF_ENTITY, LAST_ENTRIES_FIRST } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import { COLLECTIONS, type EntityEvent, hasSightings, JOURNALED, type Journaled } from "./entries.rules.js";
import type { HiddenThings } from "./hidden.js";
import type { JournalWriter } from "./writer.js";

const BATCH = 500;

export interface ReconcileParts {
  readonly collections: JournalCollections;
  readonly hidden: HiddenThings;
  readonly writer: JournalWriter;
}

/**
 * Creates missing entries by comparing the end of the journal with storage: new, updated and deleted entities. It can
 * be interrupted and restarted.
 *
 * @returns their number
 */
export async function reconcile(parts: ReconcileParts, signal: AbortSignal): Promise<number> {
  const { collections, hidden, writer } = parts;
  const { deletions, entities } = collections;
  hidden.clear();
  const at = new Date();
  const hiding = await deletions.find().toArray();
  for (const deletion of hiding) hidden.add(deletion);
  let entries = 0;
  for (const collection of ORDER)
    for await (const batch of batchesById(entities(collection))) {
      if (signal.aborted) return entries;
      entries += await writer.write(batch.map((one) => stateOf(collection, one, at)));
    }
  for await (const batch of livingIn(collections)) {
    if (signal.aborted) return entries;
    entries += await recordGone(parts, batch, at);
  }
  await deletions.updateMany({ _id: { $in: hiding.map(({ _id }) => _id) } }, { $set: { journaled: true } });
  return entries;
}

/** Records what is missed, where the journal does not tell. */
export async function recordMissed({ collections, writer }: ReconcileParts, signal: AbortSignal): Promise<void> {
  const at = new Date();
  for (const collection of COLLECTIONS.filter(hasSightings))
    for await (const batch of batchesById(collections.entities(collection), { sighted: true })) {
      if (signal.aborted) return;
      const missed = batch.filter((one) => one.missed !== undefined).map((one) => stateOf(collection, one, at));
      // Only since when they are missed is not recorded, so it is no comparison after which the past is uncertain.
      await writer.write(missed.map((event) => ({ ...event, state: undefined, isReconciled: false })));
    }
}

const nameOf = (kind: Journaled): string => JOURNALED[kind];

/** What is in no network comes last: a follower that sees a new tag has everything that was there before. */
const ORDER: readonly Journaled[] = [
  ...COLLECTIONS.filter((name) => !isOfOrganization(name)),
  ...COLLECTIONS.filter(isOfOrganization),
];

/** The last entry of an entity. */
interface Last {
  readonly entity_id: string;
  readonly entity: string;
  readonly organization_id: string;
  readonly action: string;
}

/** What exists according to the journal, in batches. */
async function* livingIn({ journal }: JournalCollections): AsyncGenerator<readonly Last[]> {
  let batch: Last[] = [];
  let previous = "";
  const projection = { entity_id: 1, entity: 1, organization_id: 1, action: 1 } as const;
  // In reverse index order: the first entry of each entity is its last one.
  const lasts = journal.find<Last>({}, { projection, hint: JOURNAL_OF_ENTITY }).sort(LAST_ENTRIES_FIRST);
  for await (const last of lasts) {
    if (last.entity_id !== previous && last.action !== "deleted") batch.push(last);
    previous = last.entity_id;
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Records the deletion of those that no longer exist. */
async function recordGone(
  { collections, hidden, writer }: ReconcileParts,
  living: readonly Last[],
  at: Date,
): Promise<number> {
  const { entities } = collections;
  let recorded = 0;
  for (const collection of ORDER) {
    const mine = living.filter(({ entity }) => entity === nameOf(collection));
    const ids = mine.map(({ entity_id }) => entity_id);
    const found = await entities(collection)
      .find({ _id: { $in: ids } }, { hint: BY_ID })
      .toArray();
    const isThere = (one: EntityDocument): boolean => hidden.seen(stateOf(collection, one, at)) !== null;
    const there = new Set(found.filter(isThere).map(({ _id }) => _id));
    const gone = mine.filter(({ entity_id }) => !there.has(entity_id));
    recorded += await writer.write(
      gone.map(({ entity_id: id, organization_id: organizationId }) => ({
        ...{ collection, id, organizationId, at, by: {} },
        ...{ state: null, isReconciled: true },
      })),
    );
  }
  return recorded;
}

/** The event of a stored entity. */
export function stateOf(collection: Journaled, document: Document, at: Date): EntityEvent {
  const { _id: id, organization_id: organizationId, wire, revision, form, missed = null } = document as EntityDocument;
  const state = { wire, revision, form };
  const sighting = hasSightings(collection) ? { missed } : {};
  return { ...{ collection, id, organizationId, at, state }, ...sighting, by: {}, isReconciled: true, isNew: true };
}
