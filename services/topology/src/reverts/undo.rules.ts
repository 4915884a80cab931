import { putUnder } from "@nts/shared/groups";
import { type Entity, JOURNALED, type Journaled, type JournalDocument } from "../journal/entries.rules.js";

// What takes back the entries of a request: for each entity the state before the first of them, on condition that it still is
// as the last of them left it.

/** What is to become of an entity. Both states are as it was answered; null where it was not there. */
export interface Undo {
  readonly kind: Journaled;
  readonly id: string;
  /** As it is to be again. */
  readonly before: Entity | null;
  /** As the request left it. */
  readonly after: Entity | null;
  /** The last revision that was told. */
  readonly revision: number;
}

/** An entry with the states that it tells of, as JSON texts. */
export interface Told {
  readonly entry: Pick<JournalDocument, "entity" | "entity_id" | "revision">;
  readonly before: string | null;
  readonly after: string | null;
}

const COLLECTION_OF = new Map<string, Journaled>(
  Object.entries(JOURNALED).map(([kind, entity]) => [entity, kind as Journaled]),
);

/** What takes back some entries, which are in their order. */
export function undosOf(told: readonly Told[]): Undo[] {
  const spans = new Map<string, { readonly first: Told; last: Told }>();
  for (const one of told) {
    const span = spans.get(one.entry.entity_id);
    if (span === undefined) spans.set(one.entry.entity_id, { first: one, last: one });
    else span.last = one;
  }
  return [...spans].flatMap(([id, { first, last }]): Undo[] => {
    const kind = COLLECTION_OF.get(first.entry.entity);
    const [before, after] = [stateIn(first.before), stateIn(last.after)];
    if (kind === undefined || (before === null && after === null)) return [];
    return [{ kind, id, before, after, revision: last.entry.revision }];
  });
}

function stateIn(text: string | null): Entity | null {
  return text === null ? null : (JSON.parse(text) as Entity);
}

/** What stands on hosts, by host. */
export function byHost<T extends { readonly host_id: string }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) putUnder(found, item.host_id, item);
  return found;
}

/** Items of hosts' lists that do not stand where they must: two at one place, or one behind a gap. */
export function misplaced<T extends { readonly host_id: string; readonly position: number }>(items: readonly T[]): T[] {
  return [...byHost(items).values()].flatMap((mine) => {
    const places = new Map<number, number>();
    for (const { position } of mine) places.set(position, (places.get(position) ?? 0) + 1);
    return mine.filter(({ position }) => position >= mine.length || (places.get(position) ?? 0) > 1);
  });
}
