import type { ClientSession, Db } from "mongodb";
import { AUDIT_HEADS, type HeadDocument, type LimitedAction } from "../storage/audit-trail.js";

// Some entries can be caused without an account. Each kind is limited per organization and hour, so that nobody can
// fill the database.

export const MOST_AN_HOUR = 100;
const HOUR_MS = 3_600_000;

/** Whether the limit allows another entry. */
export function isBelowHourlyLimit(
  head: Pick<HeadDocument, "hourly"> | null,
  action: LimitedAction,
  now: Date,
): boolean {
  const got = head?.hourly?.[action];
  return got?.hour !== hourOf(now) || got.count < MOST_AN_HOUR;
}

/** Counts an entry; must come first in its transaction. @returns false if the limit is reached */
export async function countTowardsHourlyLimit(
  db: Db,
  {
    organizationId,
    action,
    now,
  }: { readonly organizationId: string; readonly action: LimitedAction; readonly now: Date },
  tx: ClientSession,
): Promise<boolean> {
  const place = `hourly.${action}`;
  const hour = hourOf(now);
  const oneMore = { $cond: [{ $eq: [`$${place}.hour`, hour] }, { $add: [`$${place}.count`, 1] }, 1] };
  const heads = db.collection<HeadDocument>(AUDIT_HEADS);
  const head = await heads.findOneAndUpdate(
    { _id: organizationId },
    [{ $set: { [place]: { hour, count: oneMore } } }],
    {
      ...{ upsert: true, returnDocument: "after", session: tx },
    },
  );
  return (head?.hourly?.[action]?.count ?? Infinity) <= MOST_AN_HOUR;
}

function hourOf(now: Date): number {
  return Math.floor(now.getTime() / HOUR_MS);
}
