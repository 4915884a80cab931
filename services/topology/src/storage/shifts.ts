import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Shift } from "../positions.js";
import type { Entities, Entity, Stored } from "./entities.js";
import { revised } from "./revisions.js";

type Positioned = Entity & { position: number };

/** Moves the other items of a host's list. The host is locked. @param except the item whose own place is written apart */
export async function applyShift<T extends Positioned>(
  session: ClientSession,
  scope: Scope,
  entities: Entities<T>,
  { hostId, shift, except, now }: { hostId: string; shift: Shift | null; except: string; now: Date },
): Promise<void> {
  if (shift === null) return;
  const range = { host_id: hostId, position: { $gte: shift.from, $lte: shift.to }, _id: { $ne: except } };
  const others = await entities.findMany(scope, range, session);
  await entities.replace(
    session,
    scope,
    others.flatMap((other) => movedTo(other, other.entity.position + shift.by, now)),
  );
}

/** Closes the gaps that items have left in a host's list. The host is locked. @param from the lowest place that was left */
export async function closeGaps<T extends Positioned>(
  session: ClientSession,
  scope: Scope,
  entities: Entities<T>,
  { hostId, from, now }: { hostId: string; from: number; now: Date },
): Promise<void> {
  const behind = { host_id: hostId, position: { $gt: from } };
  const others = await entities.findMany(scope, behind, session, { position: 1 });
  await entities.replace(
    session,
    scope,
    others.flatMap((other, index) => movedTo(other, from + index, now)),
  );
}

function movedTo<T extends Positioned>(item: Stored<T>, position: number, now: Date): Stored<T>[] {
  const next = revised(item, { ...item.entity, position }, now);
  return next === null ? [] : [next];
}
