import { setImmediate } from "node:timers/promises";
import { readAhead } from "@nts/shared/read-ahead";
import { requireNotAbandoned } from "@nts/shared/work";
import { chunksOf } from "@nts/shared/groups";
import { formerEntity } from "../journal/entry-texts.js";
import { type FormerEntry, formersAmong, formersAt } from "../journal/formers.js";
import type { Entities, Entity } from "../storage/entities.js";
import { BY_ID, type IndexKey } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import type { View } from "./view.js";

// Reads past states of entities in batches.

/** Maximum ids per query. */
export const BATCH = 500;
/** Target bytes per read; the number of entries is derived from the size of the previous ones. */
const READ_BYTES = 1_048_576;
const FIRST_READ = 50;
const MOST_READ = 500;

/** The read operations of a kind. */
export type Kind = Pick<
  Entities<Entity>,
  | "name"
  | "ofNetworks"
  | "read"
  | "countAt"
  | "within"
  | "keysOf"
  | "losesTags"
  | "hasOlderForms"
  | "form"
  | "upgraded"
  | "wireOf"
  | "storedIn"
  | "readStored"
  | "revisionIn"
  | "isSighted"
>;

/** A kind without sightings, which are not available for the past. */
export function unsighted(kind: Kind): Kind & { readonly isSighted: false } {
  return { ...kind, isSighted: false };
}

/** The number of entries for the next read, based on the size of the last one. */
export function nextSize(size: number, bytes: number): number {
  return Math.max(1, Math.min(MOST_READ, Math.floor((size * READ_BYTES) / (bytes + 1))));
}

export function inBatches<T>(items: readonly T[], size = BATCH): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

/** An entity before a change. */
export interface Former {
  readonly n: number;
  readonly entity: Entity;
}

/** Yields the entities before some changes, in batches. */
export async function* entitiesBefore(view: View, requested: readonly number[]): AsyncGenerator<Former[]> {
  for await (const entries of entriesWithFormers(view, requested))
    yield entries.flatMap((entry) => {
      const entity = formerEntity(entry);
      return entity === null ? [] : { n: entry.n, entity };
    });
}

/** Yields changes with the states before: first those that have been read. */
export async function* entriesWithFormers(
  view: View,
  requested: readonly number[],
): AsyncGenerator<readonly FormerEntry[]> {
  const { work, formers } = view;
  const { found, missing } = formersAmong(formers, requested);
  for (const some of chunksOf(found, BATCH)) {
    requireNotAbandoned(work);
    yield some;
    await setImmediate();
  }
  for await (const entries of readAhead(readFormers(view, missing))) {
    requireNotAbandoned(work);
    yield entries;
  }
}

async function* readFormers(
  { database, rights }: View,
  numbers: readonly number[],
): AsyncGenerator<readonly FormerEntry[], void, void> {
  let size = FIRST_READ;
  for (let at = 0; at < numbers.length;) {
    const { entries, bytes } = await formersAt(database, rights, numbers.slice(at, at + size));
    at += size;
    size = nextSize(entries.size, bytes);
    yield [...entries.values()];
  }
}

/** Yields matching stored entities in batches. */
export async function* storedEntities<T extends Entity>(
  { stored, moment }: View,
  kind: Kind,
  conditions: readonly object[],
  hint: IndexKey,
): AsyncGenerator<T[]> {
  const find = { filter: matching(kind.within(stored), ...conditions), hint, mostRows: BATCH };
  for await (const batch of kind.readStored(stored, find, moment)) yield batch.map(({ entity }) => entity as T);
}

/** The numbers of the changes with the past states, optionally for some ids only. */
export function numbersOf(known: ReadonlyMap<string, number> | undefined, ids?: readonly string[]): number[] {
  const numbers = ids === undefined ? [...(known?.values() ?? [])] : ids.map((id) => known?.get(id) ?? 0);
  return numbers.filter((n) => n > 0);
}

/** Entities at the moment, by id; those that did not exist are omitted. */
export async function entitiesAt<T extends Entity>(
  view: View,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const known = view.changed.get(kind.name);
  const requested = [...new Set(ids)];
  const entities = new Map<string, T>();
  for await (const formers of entitiesBefore(view, numbersOf(known, requested)))
    for (const { entity } of formers) entities.set(entity.id, entity as T);
  for (const some of inBatches(requested.filter((id) => known?.has(id) !== true)))
    for await (const found of storedEntities<T>(view, kind, [{ _id: { $in: some } }], BY_ID))
      for (const entity of found) entities.set(entity.id, entity);
  return entities;
}
