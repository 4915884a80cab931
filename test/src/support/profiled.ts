import type { Db, Document } from "mongodb";

/** Profiles a database during a task. @returns the matching operations */
export async function profiled(db: Db, filter: Document, task: () => Promise<unknown>): Promise<Document[]> {
  await db.command({ profile: 2 });
  try {
    await task();
  } finally {
    await db.command({ profile: 0 });
  }
  const seen = await db.collection("system.profile").find(filter).toArray();
  await db.dropCollection("system.profile");
  return seen;
}
