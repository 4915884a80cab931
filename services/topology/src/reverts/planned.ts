import type { ClientSession } from "mongodb";
import type { Host } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { COLLECTIONS, type Journaled } from "../journal/entries.rules.js";
import type { AllChanges, Change, ChangesOf } from "../commit/changes.rules.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import { type Conflict, conflictOf } from "./conflict.rules.js";
import type { Undo } from "./undo.rules.js";

// Plans the writes of a revert by kind, after verifying that every entity is as the request left it.

/** Added to the revision of restored entities, so that no earlier ETag can match. */
const ANOTHER_LIFE = 1_000_000_000;

/** What a revert does: what it creates are restored entities. */
export interface Planned extends AllChanges {
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
  const changes = {} as Record<Journaled, ChangesOf<Entity>>;
  for (const kind of COLLECTIONS) {
    const mine = undos.filter((undo) => undo.kind === kind);
    const found = await statesOf(storage[kind], tx, scope, mine);
    const planned = mine.map((undo) => planOf(undo, found.get(undo.id), now));
    conflicts.push(...planned.flatMap(({ conflict }) => conflict ?? []));
    changes[kind] = {
      removed: planned.flatMap(({ removed }) => removed ?? []),
      created: planned.flatMap(({ restored }) => restored ?? []),
      changed: planned.flatMap(({ changed }) => changed ?? []),
    };
  }
  const revisions = new Map(undos.map(({ id, revision }) => [id, revision + ANOTHER_LIFE]));
  return { planned: { ...(changes as unknown as AllChanges), revisions }, conflicts };
}

/** Those of which something is left to do: the others are as they were before the request, or gone if it created them. */
export async function withoutDone(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  undos: readonly Undo[],
): Promise<Undo[]> {
  const now = new Date();
  const left: Undo[] = [];
  for (const kind of COLLECTIONS) {
    const mine = undos.filter((undo) => undo.kind === kind);
    const found = await statesOf(storage[kind], tx, scope, mine);
    left.push(...mine.filter(({ id, before }) => !isAs(found.get(id), before as Entity | null, now)));
  }
  return left;
}

function isAs(current: Stored<Entity> | undefined, wanted: Entity | null, now: Date): boolean {
  if (current === undefined || wanted === null) return current === undefined && wanted === null;
  return revised(current, wanted, now) === null;
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
  readonly changed?: Change<Entity>;
}

function planOf({ kind, id, before, after }: Undo, current: Stored<Entity> | undefined, now: Date): PlannedOne {
  const conflict = (reason: Conflict["reason"]): PlannedOne => ({ conflict: conflictOf(kind, id, reason) });
  const was = before as Entity | null;
  const left = after as Entity | null;
  if (left === null) {
    if (current !== undefined) return conflict("exists");
    return was === null ? {} : { restored: { ...was, updated_at: now.toISOString() } };
  }
  if (current === undefined) return conflict("deleted");
  if (revised(current, left, now) !== null) return conflict("changed");
  if (was === null) return { removed: current.entity };
  const next = revised(current, was, now);
  return next === null ? {} : { changed: { before: current, after: next } };
}

/** The additional fields of the document of a restored entity. */
export function revisionIn({ revisions }: Planned): (entity: { readonly id: string }) => { revision: number } {
  return ({ id }) => ({ revision: revisions.get(id) ?? 1 });
}
