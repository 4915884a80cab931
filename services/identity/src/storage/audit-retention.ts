import type { Db } from "mongodb";
import { AUDIT } from "./audit-trail.js";

const DAY_SECONDS = 86_400;
export const AUDIT_RETENTION_DAYS = 365;

const BY_TIME = { at: 1 } as const;

/**
 * Sets a TTL index that deletes old entries. Times follow numbers, so the retained entries have no gaps.
 *
 * @param days null keeps the current setting
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
