import { BY_ID } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import type { Journaled } from "./entries.rules.js";
import { lastEntries, toldGone } from "./last-entries.js";

export interface AskedDocuments {
  readonly organizationId: string;
  readonly collection: Journaled;
  readonly ids: readonly string[];
}

type Collections = Pick<JournalCollections, "journal" | "entities">;

/** Whether the journal tells of all these entities that they are gone, although their documents may still be there. */
export async function areToldGone(collections: Collections, asked: AskedDocuments): Promise<boolean> {
  const told = await toldGone(collections, asked.ids);
  if (told.size < asked.ids.length) return false;
  // What came back after an earlier deletion has a higher revision than that one told.
  const stored = await revisionsOf(collections, asked);
  return stored.every(({ _id, revision }) => revision <= (told.get(_id) ?? 0));
}

/** Whether the journal tells of a later change of all these entities than is stored. */
export async function areToldChanged(collections: Collections, asked: AskedDocuments): Promise<boolean> {
  // Before the journal: what is written in between only makes them look older there.
  const stored = await revisionsOf(collections, asked);
  const last = await lastEntries(collections, { ids: asked.ids, projection: { entity_id: 1, revision: 1 } });
  const told = new Map(last.map(({ entity_id, revision }) => [entity_id, revision]));
  return stored.every(({ _id, revision }) => revision < (told.get(_id) ?? 0));
}

function revisionsOf({ entities }: Collections, { organizationId, collection, ids }: AskedDocuments) {
  const stored = { organization_id: organizationId, _id: { $in: [...ids] } };
  return entities(collection)
    .find(stored, { hint: BY_ID, projection: { revision: 1 } })
    .toArray();
}
