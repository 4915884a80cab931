import { forPlurals, KIND_NAMES, type KindName, type PluralOf, pluralOf } from "@nts/shared/contract/kinds";
import { putUnder } from "@nts/shared/groups";
import type { EntityIn } from "../kinds/index.js";
import type { Change, ChangesOf } from "../storage/changes.rules.js";
import type { Stored } from "../storage/entities.js";

// What a write does, as decided: entities by kind, before and after. It says nothing about how it is stored.

export type { Change, ChangesOf };

type Collection = PluralOf<KindName>;

/** What becomes of entities, by collection. Bindings are part of services. */
export type AllChanges = { readonly [Name in Collection]: ChangesOf<EntityIn<Name>> };

/** The same without what stays as it is. */
export type Changes = { readonly [Name in Collection]?: Partial<ChangesOf<EntityIn<Name>>> };

const NONE: ChangesOf<never> = { created: [], changed: [], removed: [] };

export function completed(changes: Changes): AllChanges {
  return forPlurals(KIND_NAMES, (name) => ({ ...NONE, ...changes[pluralOf(name)] })) as unknown as AllChanges;
}

/** How many entities change, and about how many bytes the journal takes for their states before and after. */
export function sizeOf(changes: Changes): { readonly entities: number; readonly bytes: number } {
  const states = Object.values(changes).flatMap(
    ({ created = [], changed = [], removed = [] }: Partial<ChangesOf<object>>) => [
      ...created.map((entity) => [entity]),
      ...changed.map(({ before, after }) => [before.entity, after.entity]),
      ...removed.map((entity) => [entity]),
    ],
  );
  return { entities: states.length, bytes: JSON.stringify(states).length };
}

/** What is created, of any kind. */
export function createdIn(changes: AllChanges): { readonly id: string }[] {
  return Object.values(changes).flatMap(({ created }) => [...created]);
}

export function idsOf(entities: readonly { readonly id: string }[]): string[] {
  return entities.map(({ id }) => id);
}

/** States after changes. */
export function statesAfter<T>(changes: readonly Change<T>[]): Stored<T>[] {
  return changes.map(({ after }) => after);
}

/** Groups children by host. */
export function byHost<T extends { readonly host_id: string }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) putUnder(found, item.host_id, item);
  return found;
}
