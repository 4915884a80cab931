import type { Db } from "mongodb";

// An interrupted restore leaves partial data. While it runs, each database has a marker, and no process serves a marked
// database.

/** A collection that exists while a restore is incomplete. */
export const RESTORE_MARKER = "restore_in_progress";

/** Marks a database as incomplete. */
export async function markIncomplete(db: Db): Promise<void> {
  await db.collection(RESTORE_MARKER).insertOne({ started_at: new Date() });
}

/** Removes the marker: the database is complete. */
export async function markComplete(db: Db): Promise<void> {
  await db.collection(RESTORE_MARKER).drop();
}

/** Whether a restore into the database is incomplete. */
export async function isIncomplete(db: Db): Promise<boolean> {
  return (await db.collection(RESTORE_MARKER).findOne()) !== null;
}
