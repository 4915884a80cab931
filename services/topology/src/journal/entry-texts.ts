import { sliceOf, type TextSlice } from "@nts/shared/mongo/raw-fields";
import { createReader } from "../storage/entity-reader.js";
import type { Entity as StoredEntity, EntityKind } from "../storage/entities.js";
import { ENTITY_KINDS } from "../kinds/index.js";
import type { Cursors } from "./cursors.js";
import { formerIn, formerOf, type JournalDocument, sidesOf } from "./entries.rules.js";
import type { FormerEntry } from "./formers.js";

// Entries in today's format, whatever the version of the stored entity.

/** Entries contain what was hidden later. */
const NOTHING_HIDDEN = { organizationId: "", networks: "all" } as const;

const READERS = new Map(
  Object.values(ENTITY_KINDS).map((kind) => [kind.name, createReader(kind as unknown as EntityKind<StoredEntity>)]),
);

/** The entity before and after an entry in today's format; null if it did not exist. */
export function currentSides(entry: JournalDocument): ReturnType<typeof sidesOf> {
  const { before, after, fields } = sidesOf(entry);
  return { before: presentOf(entry, before), after: presentOf(entry, after), fields };
}

/** The JSON of the entity before an entry in today's format; null if it did not exist. */
export function currentFormer(entry: FormerEntry): TextSlice | null {
  const { action, entity } = entry;
  if (action === "deleted" && READERS.get(entity)?.differs(NOTHING_HIDDEN) === false) return entry;
  const former = presentOf(entry, formerIn(decoded(entry)));
  return former === null ? null : sliceOf(Buffer.from(former));
}

/** The same, decoded. */
export function formerEntity(entry: FormerEntry): StoredEntity | null {
  const former = formerOf(decoded(entry));
  const reader = READERS.get(entry.entity);
  if (former === null || reader?.differs(NOTHING_HIDDEN) !== true) return former as StoredEntity | null;
  return JSON.parse(reader.wireOf({ wire: JSON.stringify(former), form: entry.form }, NOTHING_HIDDEN)) as StoredEntity;
}

function decoded({ action, bytes, from, end, old, was }: FormerEntry) {
  return { action, wire: bytes.toString("utf8", from, end), old, was };
}

function presentOf({ entity, form }: Pick<FormerEntry, "entity" | "form">, wire: string | null): string | null {
  return wire === null ? null : (READERS.get(entity)?.wireOf({ wire, form }, NOTHING_HIDDEN) ?? wire);
}

/** The JSON of an entry. */
export function textOf(entry: JournalDocument, cursors: Cursors): string {
  const { organization_id, n, at, action, entity, entity_id, network_id, host_id, name } = entry;
  const { before, after, fields } = currentSides(entry);
  const { user_id, key_id = null, email = null, request_id = null, comment = null, reconciled = false } = entry;
  const head = { cursor: cursors.of(organization_id, n), at, action, entity, entity_id, network_id, host_id, name };
  const actor = user_id === undefined ? null : { user_id, key_id, email };
  const tail = { fields, actor, request_id, comment, reconciled };
  return textWithSides(head, { before, after }, tail);
}

/** The JSON of an object with `before` and `after` (already JSON) between its other members. */
export function textWithSides(
  head: object,
  { before, after }: Omit<ReturnType<typeof currentSides>, "fields">,
  tail: object,
): string {
  return `${JSON.stringify(head).slice(0, -1)},"before":${before ?? "null"},"after":${after ?? "null"},${JSON.stringify(tail).slice(1)}`;
}
