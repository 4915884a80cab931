import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Shift } from "../positions.js";
import type { Entities, Entity } from "./entities.js";
import { revised } from "./revisions.js";

/** Moves the other items of a host's list. The host is locked. @param except the item whose own place is written apart */
export async function applyShift<T extends Entity & { position: number }>(
  session: ClientSession,
  scope: Scope,
  entities: Entities<T>,
  { hostId, shift, except, now }: { hostId: string; shift: Shift | null; except: string; now: Date },
): Promise<void> {
  if (shift === null) return;
  const range = { host_id: hostId, position: { $gte: shift.from, $lte: shift.to }, _id: { $ne: except } };
  const others = await entities.findMany(scope, range, session);
  const moved = others.flatMap((other) => {
    const next = revised(other, { ...other.entity, position: other.entity.position + shift.by }, now);
    return next === null ? [] : [next];
  });
  await entities.replace(session, scope, moved);
}
