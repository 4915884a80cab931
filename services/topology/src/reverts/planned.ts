import type { ClientSession } from "mongodb";
import type { Host } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { COLLECTIONS, type Journaled } from "../journal/entries.rules.js";
import type { EntityIn } from "../kinds/index.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import { type Conflict, conflictOf } from "./conflict.rules.js";
import type { Undo } from "./undo.rules.js";

// Plans the writes of a revert by kind, after verifying that every entity is as the request left it.

/** Added to the revision of restored entities, so that no earlier ETag can match. */
const ANOTHER_LIFE = 1_000_000_000;

/** The writes for entities of one kind. */
export interface Writes<T> {
  readonly removed: readonly T[];
  readonly restored: readonly T[];
  readonly updated: readonly { readonly current: Stored<T>; readonly next: Stored<T> }[];
}

/** The writes of all kinds, by collection. */
type WritesOfKinds = { readonly [Name in Journaled]: Writes<EntityIn<Name>> };

export interface Planned extends WritesOfKinds {
  /** Revisions of restored entities, by id. */
  readonly revisions: ReadonlyMap<string, number>;
}

export type Child = Pick<Host, "interfaces" | "ports" | "services">;

/** @returns the planned writes, and the conflicts that prevent them */
export async function plan(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  undos: readonly Undo[],
): Promise<{ planned: Planned; conflicts: Conflict[] }> {
  const now = new Date();
  const conflicts: Conflict[] = [];
  const writes = {} as Record<Journaled, Writes<Entity>>;
  for (const kind of COLLECTIONS) {
    const mine = undos.filter((undo) => undo.kind === kind);
    const found = await statesOf(storage[kind], tx, scope, mine);
    const planned = mine.map((undo) => planOf(undo, found.get(undo.id), now));
    conflicts.push(...planned.flatMap(({ conflict }) => conflict ?? []));
    writes[kind] = {
      removed: planned.flatMap(({ removed }) => removed ?? []),
      restored: planned.flatMap(({ restored }) => restored ?? []),
      updated: planned.flatMap(({ updated }) => updated ?? []),
    };
  }
  const revisions = new Map(undos.map(({ id, revision }) => [id, revision + ANOTHER_LIFE]));
  return { planned: { ...(writes as unknown as WritesOfKinds), revisions }, conflicts };
}

async function statesOf(
  entities: Entities<Entity>,
  tx: ClientSession,
  scope: Scope,
  undos: readonly Undo[],
): Promise<ReadonlyMap<string, Stored<Entity>>> {
  if (undos.length === 0) return new Map();
  const found = await entities.findMany(scope, { _id: { $in: undos.map(({ id }) => id) } }, tx);
  return new Map(found.map((one) => [one.entity.id, one]));
}

interface PlannedOne {
  readonly conflict?: Conflict;
  readonly removed?: Entity;
  readonly restored?: Entity;
  readonly updated?: { readonly current: Stored<Entity>; readonly next: Stored<Entity> };
}

function planOf({ kind, id, before, after }: Undo, current: Stored<Entity> | undefined, now: Date): PlannedOne {
  const conflict = (reason: Conflict["reason"]): PlannedOne => ({ conflict: conflictOf(kind, id, reason) });
  const [was, left] = [before, after] as unknown as readonly [Entity | null, Entity | null];
  if (left === null) {
    if (current !== undefined) return conflict("exists");
    return was === null ? {} : { restored: { ...was, updated_at: now.toISOString() } };
  }
  if (current === undefined) return conflict("deleted");
  if (revised(current, left, now) !== null) return conflict("changed");
  if (was === null) return { removed: current.entity };
  const next = revised(current, was, now);
  return next === null ? {} : { updated: { current, next } };
}

export interface Step {
  readonly storage: Storage;
  readonly tx: ClientSession;
  readonly scope: Scope;
  readonly planned: Planned;
}

/** The additional fields of the document of a restored entity. */
export function revisionIn({ revisions }: Planned): (entity: { readonly id: string }) => { revision: number } {
  return ({ id }) => ({ revision: revisions.get(id) ?? 1 });
}

export function idsOf(entities: readonly { readonly id: string }[]): string[] {
  return entities.map(({ id }) => id);
}
