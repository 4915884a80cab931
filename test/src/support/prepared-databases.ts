/**
 * Databases that suites of one worker of jest use one after another: to create the collections and indexes of a new one
 * takes longer than many tests run.
 */
import { randomBytes } from "node:crypto";
import type { Db, MongoClient } from "mongodb";

/** What migrations have written stays: which there were, and the keys that they made. */
const OF_MIGRATIONS = new Set(["migrations", "breaking_migrations", "journal_secrets"]);
/** Of more documents it is faster to drop the database. */
const MOST_DELETED = 2_000;

type Service = "topology" | "identity";

const free: Record<Service, string[]> = { topology: [], identity: [] };

/** A database of a service without documents; it is prepared already where somebody has used it before. */
export function takeDatabase(client: MongoClient, service: Service): Db {
  return client.db(free[service].pop() ?? `${service}_test_${randomBytes(6).toString("hex")}`);
}

/** Gives it to the next one. One that was profiled, or that holds much, is dropped. */
export async function giveBackDatabase(db: Db, service: Service): Promise<void> {
  const collections = (await db.collections()).filter(({ collectionName }) => !OF_MIGRATIONS.has(collectionName));
  const counts = await Promise.all(collections.map((collection) => collection.estimatedDocumentCount()));
  const isProfiled = collections.some(({ collectionName }) => collectionName.startsWith("system."));
  if (isProfiled || counts.reduce((sum, count) => sum + count, 0) > MOST_DELETED) {
    await db.dropDatabase();
    return;
  }
  // An estimate of none may be old.
  await Promise.all(collections.map((collection) => collection.deleteMany({})));
  free[service].push(db.databaseName);
}
