import type { ClientSession } from "mongodb";
import type { Binding } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Shift } from "../hosts/positions.rules.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import { changedAtOnce } from "./changed-at-once.js";
import type { Change } from "./changes.rules.js";

// The lists of hosts have dense positions, so other items of a locked host follow what is placed, moved or deleted.

/** An item of a list of its host. */
export type Positioned = Entity & {
  readonly host_id: string;
  readonly position: number;
  readonly bindings?: readonly Binding[];
};

/** Other items that make room. @param except the item for which they do */
export async function shifted<T extends Positioned>(
  entities: Entities<T>,
  tx: ClientSession,
  scope: Scope,
  { hostId, shift, except, now }: { hostId: string; shift: Shift | null; except: string; now: Date },
): Promise<Change<T>[]> {
  if (shift === null) return [];
  const range = { host_id: hostId, position: { $gte: shift.from, $lte: shift.to }, _id: { $ne: except } };
  const others = await entities.findMany(scope, range, tx);
  return others.flatMap((other) => movedTo(other, other.entity.position + shift.by, now));
}

/**
 * Other items that close the gaps of items that leave their hosts.
 *
 * @throws AppError `too_many_changes`
 */
export async function closingGaps<T extends Positioned>(
  entities: Entities<T>,
  tx: ClientSession,
  scope: Scope,
  { leaving, now }: { leaving: readonly Pick<T, "id" | "host_id" | "position">[]; now: Date },
): Promise<Change<T>[]> {
  if (leaving.length === 0) return [];
  const lowest = new Map<string, number>();
  for (const { host_id, position } of leaving) lowest.set(host_id, Math.min(position, lowest.get(host_id) ?? position));
  const behind = [...lowest].map(([host_id, from]) => ({ host_id, position: { $gt: from } }));
  const order = { host_id: 1, position: 1 } as const;
  const found = entities.findEach(scope, { $or: behind }, tx, order);
  const others = await changedAtOnce<T>(except(found, new Set(leaving.map(({ id }) => id))));
  return others.flatMap((other) => {
    const position = lowest.get(other.entity.host_id) ?? other.entity.position;
    lowest.set(other.entity.host_id, position + 1);
    return movedTo(other, position, now);
  });
}

function movedTo<T extends Positioned>(before: Stored<T>, position: number, now: Date): Change<T>[] {
  const after = revised(before, { ...before.entity, position }, now);
  return after === null ? [] : [{ before, after }];
}

async function* except<T extends Positioned>(
  found: AsyncIterable<Stored<T>>,
  leaving: ReadonlySet<string>,
): AsyncGenerator<Stored<T>> {
  for await (const one of found) if (!leaving.has(one.entity.id)) yield one;
}
