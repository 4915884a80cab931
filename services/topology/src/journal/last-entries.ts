import type { Document } from "mongodb";
import { BY_ID, JOURNAL_OF_ENTITY, LAST_ENTRIES_FIRST } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import type { JournalDocument } from "./entries.rules.js";

export interface EntitiesQuery {
  /** The organizations, if known; ids are globally unique. */
  readonly organizationIds?: readonly string[];
  readonly ids: readonly string[];
  /** Only entries up to this number count. */
  readonly upTo?: number;
  /** Fields to read; all if absent. */
  readonly projection?: Document;
}

/** The last entry of each of some entities; none if there is no entry. */
export async function lastEntries(
  { journal }: Pick<JournalCollections, "journal">,
  { organizationIds, ids, upTo, projection }: EntitiesQuery,
): Promise<JournalDocument[]> {
  if (ids.length === 0) return [];
  const organizations = organizationIds && { organization_id: { $in: [...organizationIds] } };
  const stages = [
    { $match: { entity_id: { $in: ids }, ...organizations, ...(upTo !== undefined && { n: { $lte: upTo } }) } },
    { $sort: LAST_ENTRIES_FIRST },
    { $group: { _id: "$entity_id", place: { $first: "$_id" } } },
  ];
  const last = await journal.aggregate<{ place: string }>(stages, { hint: JOURNAL_OF_ENTITY }).toArray();
  if (last.length === 0) return [];
  const places = { _id: { $in: last.map(({ place }) => place) }, ...organizations };
  return journal.find(places, { hint: BY_ID, ...(projection && { projection }) }).toArray();
}

/** Those recorded as deleted. */
export async function recordedAsDeleted(
  collections: Pick<JournalCollections, "journal">,
  ids: readonly string[],
): Promise<string[]> {
  const last = await lastEntries(collections, { ids, projection: { entity_id: 1, action: 1 } });
  return last.flatMap(({ entity_id, action }) => (action === "deleted" ? [entity_id] : []));
}
