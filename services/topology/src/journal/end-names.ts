import { KINDS } from "@nts/shared/contract/kinds";
import { type Between, nameBetween } from "@nts/shared/contract/names.rules";
import { idsOf } from "../storage/end-names.js";
import type { JournalCollections } from "./collections.js";
import type { JournalDocument } from "./entries.rules.js";
import { lastEntries } from "./last-entries.js";

/** New entries; what is between hosts is called by what the journal knows of its ends, also when they are gone. */
export async function namedByEnds(
  collections: Pick<JournalCollections, "journal">,
  documents: readonly JournalDocument[],
): Promise<readonly JournalDocument[]> {
  const between = documents.filter(({ entity }) => KINDS[entity].between);
  if (between.length === 0) return documents;
  const ends = new Map(between.map((document) => [document, JSON.parse(document.wire) as Between]));
  const names = new Map(documents.map(({ entity_id, name }) => [entity_id, name]));
  const ids = Object.values(idsOf([...ends.values()])).flatMap((some) => [...some].filter((id) => !names.has(id)));
  const organizationIds = [...new Set(between.map(({ organization_id }) => organization_id))];
  const projection = { entity_id: 1, name: 1 };
  for (const { entity_id, name } of await lastEntries(collections, { organizationIds, ids, projection }))
    names.set(entity_id, name);
  return documents.map((document) => {
    const its = ends.get(document);
    return its === undefined ? document : { ...document, name: nameBetween(its, (id) => names.get(id)) };
  });
}
