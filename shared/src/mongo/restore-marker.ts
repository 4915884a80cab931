import type { Db } from "mongodb";

// A restore that is cut off leaves a part of the data behind. While it runs, each database carries a marker, and no
// process serves a database that has one.

/** The collection that exists while a restore into the database has begun and not ended. */
export const RESTORE_MARKER = "restore_in_progress";

/** Marks a database as incomplete. */
export async function markIncomplete(db: Db): Promise<void> {
  await db.collection(RESTORE_MARKER).insertOne({ started_at: new Date() });
}

/** Takes the marker away: the database is complete. */
export async function markComplete(db: Db): Promise<void> {
  await db.collection(RESTORE_MARKER).drop();
}

/** Whether a restore into the database has begun and not ended. */
export async function isIncomplete(db: Db): Promise<boolean> {
  return (await db.collection(RESTORE_MARKER).findOne()) !== null;
}
