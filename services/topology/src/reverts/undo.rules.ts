import { byHost } from "../commit/changes.rules.js";
import { type Entity, JOURNALED, type Journaled, type JournalDocument } from "../journal/entries.rules.js";

// Computes the inverse of a request's entries: each entity is reset to its state before the first entry, provided that it is still
// in its state after the last one.

/** The inverse for one entity. Both states are in the API format; null if it did not exist. */
export interface Undo {
  readonly kind: Journaled;
  readonly id: string;
  /** The state to restore. */
  readonly before: Entity | null;
  /** The state that the request left. */
  readonly after: Entity | null;
  /** The last revision in the journal. */
  readonly revision: number;
}

/** An entry with its states as JSON. */
export interface RecordedChange {
  readonly entry: Pick<JournalDocument, "entity" | "entity_id" | "revision">;
  readonly before: string | null;
  readonly after: string | null;
}

/** The collections of entities, by their names in the journal. */
export const COLLECTION_OF: ReadonlyMap<string, Journaled> = new Map<string, Journaled>(
  Object.entries(JOURNALED).map(([kind, entity]) => [entity, kind as Journaled]),
);

/** Computes the inverse of entries. @param changes in commit order */
export function undosOf(changes: readonly RecordedChange[]): Undo[] {
  const spans = new Map<string, { readonly first: RecordedChange; last: RecordedChange }>();
  for (const one of changes) {
    const span = spans.get(one.entry.entity_id);
    if (span === undefined) spans.set(one.entry.entity_id, { first: one, last: one });
    else span.last = one;
  }
  return [...spans].flatMap(([id, { first, last }]): Undo[] => {
    const kind = COLLECTION_OF.get(first.entry.entity);
    const before = stateIn(first.before);
    const after = stateIn(last.after);
    if (kind === undefined || (before === null && after === null)) return [];
    return [{ kind, id, before, after, revision: last.entry.revision }];
  });
}

function stateIn(text: string | null): Entity | null {
  return text === null ? null : (JSON.parse(text) as Entity);
}

/** Whether it adds entities: the one that it restores, or bindings of a service. */
export function addsEntities({ before, after }: Undo): boolean {
  return after === null || bindingsIn(before) > bindingsIn(after);
}

function bindingsIn(entity: Entity | null): number {
  const bindings = entity?.["bindings"];
  return Array.isArray(bindings) ? bindings.length : 0;
}

/** Items with invalid positions: duplicates, or after a gap. */
export function misplaced<T extends { readonly host_id: string; readonly position: number }>(items: readonly T[]): T[] {
  return [...byHost(items).values()].flatMap((mine) => {
    const places = new Map<number, number>();
    for (const { position } of mine) places.set(position, (places.get(position) ?? 0) + 1);
    return mine.filter(({ position }) => position >= mine.length || (places.get(position) ?? 0) > 1);
  });
}
