import type { Db } from "mongodb";
import { AUDIT } from "./trail.js";

const DAY_SECONDS = 86_400;
export const AUDIT_RETENTION_DAYS = 365;

const BY_TIME = { at: 1 } as const;

/**
 * Makes the database delete entries that are too old, by itself and some at a time. Times follow the numbers, so what is left
 * begins with a number and has no holes.
 *
 * @param days null keeps what is there
 */
export async function keepAudit(db: Db, days: number | null): Promise<void> {
  const entries = db.collection(AUDIT);
  const seconds = Math.round((days ?? AUDIT_RETENTION_DAYS) * DAY_SECONDS);
  const indexes = (await entries.indexes()) as { key: object; expireAfterSeconds?: number }[];
  const found = indexes.find(({ key }) => JSON.stringify(key) === JSON.stringify(BY_TIME));
  if (found === undefined) await entries.createIndex(BY_TIME, { expireAfterSeconds: seconds }, {});
  else if (days !== null && found.expireAfterSeconds !== seconds)
    await db.command({ collMod: AUDIT, index: { keyPattern: BY_TIME, expireAfterSeconds: seconds } });
}
