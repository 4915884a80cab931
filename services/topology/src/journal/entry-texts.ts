import { sliceOf, type TextSlice } from "@nts/shared/mongo/raw-fields";
import { createReader } from "../storage/entity-reader.js";
import type { Entity as StoredEntity, EntityKind } from "../storage/entities.js";
import { ENTITY_KINDS } from "../kinds/index.js";
import type { Cursors } from "./cursors.js";
import { formerIn, formerOf, hostOf, isSighting, type JournalDocument, type Sides, sidesOf } from "./entries.rules.js";
import type { FormerEntry } from "./formers.js";

// Entries in today's format, whatever the version of the stored entity.

/** Entries contain what was hidden later. */
const NOTHING_HIDDEN = { organizationId: "", networks: "all" } as const;

const READERS = new Map(
  Object.values(ENTITY_KINDS).map((kind) => [kind.name, createReader(kind as unknown as EntityKind<StoredEntity>)]),
);

/** The entity before and after an entry in today's format, without sightings; null if it did not exist. */
export function currentSides(entry: JournalDocument): ReturnType<typeof sidesOf> {
  return sidesOf(inCurrentForm(entry, entry));
}

/** The JSON of the entity before an entry in today's format; null if it did not exist. */
export function currentFormer(entry: FormerEntry): TextSlice | null {
  const { action, entity } = entry;
  if (action === "deleted" && READERS.get(entity)?.hasOlderForms === false) return entry;
  const former = formerIn(inCurrentForm(entry, decoded(entry)));
  return former === null ? null : sliceOf(Buffer.from(former));
}

/** The same, decoded. */
export function formerEntity(entry: FormerEntry): StoredEntity | null {
  return formerOf(inCurrentForm(entry, decoded(entry))) as StoredEntity | null;
}

function decoded({ action, bytes, from, end, old, was }: FormerEntry) {
  return { action, wire: bytes.toString("utf8", from, end), old, was };
}

/** The states of an entry in the current form. Its form is that of the later one; a complete former one may be older. */
function inCurrentForm({ entity, form }: Pick<FormerEntry, "entity" | "form">, sides: Sides): Sides {
  const reader = READERS.get(entity);
  if (reader?.hasOlderForms !== true) return sides;
  const { action, wire, old, was } = sides;
  return {
    ...{ action, old },
    wire: reader.wireOf({ wire, form }, NOTHING_HIDDEN),
    was: was === undefined ? undefined : reader.wireOf({ wire: was }, NOTHING_HIDDEN),
  };
}

/** The JSON of an entry. */
export function textOf(entry: JournalDocument, cursors: Cursors): string {
  const { organization_id, n, at, action, entity, entity_id, network_id, name } = entry;
  const { before, after, fields } = isSighting(action) ? sightedSides(entry) : currentSides(entry);
  const { user_id, key_id = null, email = null, request_id = null, comment = null, reconciled = false } = entry;
  const host_id = hostOf(entry);
  const head = { cursor: cursors.of(organization_id, n), at, action, entity, entity_id, network_id, host_id, name };
  const actor = user_id === undefined ? null : { user_id, key_id, email };
  const tail = { fields, actor, request_id, comment, reconciled };
  return textWithSides(head, { before, after }, tail);
}

/** The entity before and after it was missed, or returned. */
function sightedSides(entry: JournalDocument): ReturnType<typeof sidesOf> {
  const { missed, missed_before } = entry;
  const { wire } = inCurrentForm(entry, entry);
  const since = (ms: number | undefined): string => {
    const missed_since = ms === undefined ? null : new Date(ms).toISOString();
    return `${wire.slice(0, -1)},"missed_since":${JSON.stringify(missed_since)}}`;
  };
  return { before: since(missed_before), after: since(missed), fields: ["missed_since"] };
}

/** The JSON of an object with `before` and `after` (already JSON) between its other members. */
export function textWithSides(
  head: object,
  { before, after }: Omit<ReturnType<typeof currentSides>, "fields">,
  tail: object,
): string {
  return `${JSON.stringify(head).slice(0, -1)},"before":${before ?? "null"},"after":${after ?? "null"},${JSON.stringify(tail).slice(1)}`;
}
