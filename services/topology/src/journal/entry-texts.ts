import { createReader } from "../storage/entity-reader.js";
import type { Entity as StoredEntity, EntityKind } from "../storage/entities.js";
import { KINDS } from "../storage/kinds.js";
import type { Cursors } from "./cursors.js";
import { formerIn, formerOf, type JournalDocument, sidesOf } from "./entries.rules.js";

// Entries in today's format, whatever the version of the stored entity.

const READERS = new Map(
  Object.values(KINDS).map((kind) => [kind.name, createReader(kind as unknown as EntityKind<StoredEntity>)]),
);

/** The entity before and after an entry in today's format; null if it did not exist. */
export function currentSides(entry: JournalDocument): ReturnType<typeof sidesOf> {
  const { before, after, fields } = sidesOf(entry);
  return { before: presentOf(entry, before), after: presentOf(entry, after), fields };
}

/** The entity before an entry in today's format; null if it did not exist. */
export function currentFormer(entry: JournalDocument): string | null {
  return presentOf(entry, formerIn(entry));
}

/** The same, decoded. */
export function formerEntity(entry: JournalDocument): StoredEntity | null {
  const former = formerOf(entry);
  const scope = { organizationId: entry.organization_id, networks: "all" } as const;
  const reader = READERS.get(entry.entity);
  if (former === null || reader?.differs(scope) !== true) return former as StoredEntity | null;
  return JSON.parse(reader.wireOf({ wire: JSON.stringify(former), form: entry.form }, scope)) as StoredEntity;
}

function presentOf({ organization_id, entity, form }: JournalDocument, wire: string | null): string | null {
  const scope = { organizationId: organization_id, networks: "all" } as const;
  return wire === null ? null : (READERS.get(entity)?.wireOf({ wire, form }, scope) ?? wire);
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
