import type { ClientSession, Db } from "mongodb";
import { AUDIT_HEADS, type HeadDocument } from "./trail.js";

// Some entries anybody can bring about who has no account here. Of each kind of them an organization gets a number an hour, so that
// nobody fills the database.

export const MOST_AN_HOUR = 100;
const HOUR_MS = 3_600_000;

export type Bounded = "login_failed" | "second_factor_failed" | "first_used";

/** What an organization got in an hour. */
export interface HourlyCount {
  readonly hour: number;
  readonly count: number;
}

/** Whether another entry has room. */
export function hasRoom(head: Pick<HeadDocument, "hourly"> | null, action: Bounded, now: Date): boolean {
  const got = head?.hourly?.[action];
  return got?.hour !== hourOf(now) || got.count < MOST_AN_HOUR;
}

/** Takes the room of an entry; to be called first in its transaction. @returns false when there is none */
export async function takeRoom(
  db: Db,
  { organizationId, action, now }: { readonly organizationId: string; readonly action: Bounded; readonly now: Date },
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
