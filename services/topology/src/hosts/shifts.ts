import type { ClientSession } from "mongodb";
import type { Binding } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { changedAtOnce } from "./changed-at-once.js";
import type { Shift } from "./positions.rules.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";

type Positioned = Entity & { position: number };

/** Moves the other items of a locked host's list. @param except the item whose position is written separately */
export async function applyShift<T extends Positioned>(
  tx: ClientSession,
  scope: Scope,
  entities: Entities<T>,
  { hostId, shift, except, now }: { hostId: string; shift: Shift | null; except: string; now: Date },
): Promise<void> {
  if (shift === null) return;
  const range = { host_id: hostId, position: { $gte: shift.from, $lte: shift.to }, _id: { $ne: except } };
  const others = await entities.findMany(scope, range, tx);
  await entities.replace(
    tx,
    scope,
    others.flatMap((other) => movedTo(other, other.entity.position + shift.by, now)),
  );
}

/**
 * Closes gaps in the lists of locked hosts.
 *
 * @param gone the removed items
 * @throws AppError `too_many_changes`
 */
export async function closeGaps<
  T extends Positioned & { readonly host_id: string; readonly bindings?: readonly Binding[] },
>(
  tx: ClientSession,
  scope: Scope,
  entities: Entities<T>,
  { gone, now }: { gone: readonly Pick<T, "host_id" | "position">[]; now: Date },
): Promise<void> {
  const lowest = new Map<string, number>();
  for (const { host_id, position } of gone) lowest.set(host_id, Math.min(position, lowest.get(host_id) ?? position));
  const behind = [...lowest].map(([host_id, from]) => ({ host_id, position: { $gt: from } }));
  const order = { host_id: 1, position: 1 } as const;
  const others = await changedAtOnce<T>(entities.findEach(scope, { $or: behind }, tx, order));
  const moved = others.flatMap((other) => {
    const position = lowest.get(other.entity.host_id) ?? other.entity.position;
    lowest.set(other.entity.host_id, position + 1);
    return movedTo(other, position, now);
  });
  await entities.replace(tx, scope, moved);
}

function movedTo<T extends Positioned>(item: Stored<T>, position: number, now: Date): Stored<T>[] {
  const next = revised(item, { ...item.entity, position }, now);
  return next === null ? [] : [next];
}
