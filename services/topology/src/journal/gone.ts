import { BY_ID } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import type { Journaled } from "./entries.rules.js";
import { toldGone } from "./last-entries.js";

export interface AskedDocuments {
  readonly organizationId: string;
  readonly collection: Journaled;
  readonly ids: readonly string[];
}

/** Whether the journal tells of all these entities that they are gone, although their documents may still be there. */
export async function areToldGone(
  { journal, entities }: Pick<JournalCollections, "journal" | "entities">,
  { organizationId, collection, ids }: AskedDocuments,
): Promise<boolean> {
  const told = await toldGone({ journal }, ids);
  if (told.size < ids.length) return false;
  // What came back after an earlier deletion has a higher revision than that one told.
  const stored = { organization_id: organizationId, _id: { $in: [...ids] } };
  const found = await entities(collection)
    .find(stored, { hint: BY_ID, projection: { revision: 1 } })
    .toArray();
  return found.every(({ _id, revision }) => revision <= (told.get(_id) ?? 0));
}
