/** Databases that suites of one jest worker reuse: creating collections and indexes takes longer than many tests. */
import { randomBytes } from "node:crypto";
import { type Db, MongoClient } from "mongodb";

/** Records of migrations, and the keys that they created, are kept. */
const MIGRATION_COLLECTIONS = new Set(["migrations", "breaking_migrations", "journal_secrets"]);
/** With more documents it is faster to drop the database. */
const MAX_DELETED_DOCUMENTS = 2_000;

type Service = "topology" | "identity";

/** A client for a test's own commands: with the driver's default timeouts, which services do not use. */
export function createOwnClient(url: string): MongoClient {
  return new MongoClient(url, {
    ...{ appName: "test", readConcern: { level: "majority" }, writeConcern: { w: "majority", journal: true } },
    ignoreUndefined: true,
  });
}

const free: Record<Service, string[]> = { topology: [], identity: [] };

/** An empty database of a service, with indexes if it was used before. */
export function acquireDatabase(client: MongoClient, service: Service): Db {
  return client.db(acquireDatabaseName(service));
}

export function acquireDatabaseName(service: Service): string {
  return free[service].pop() ?? `${service}_test_${randomBytes(6).toString("hex")}`;
}

/** Makes it available again; one that was profiled, or that contains much, is dropped. */
export async function releaseDatabase(db: Db, service: Service): Promise<void> {
  const collections = (await db.collections()).filter(
    ({ collectionName }) => !MIGRATION_COLLECTIONS.has(collectionName),
  );
  const counts = await Promise.all(collections.map((collection) => collection.estimatedDocumentCount()));
  const isProfiled = collections.some(({ collectionName }) => collectionName.startsWith("system."));
  if (isProfiled || counts.reduce((sum, count) => sum + count, 0) > MAX_DELETED_DOCUMENTS) {
    await db.dropDatabase();
    return;
  }
  // Estimates of zero may be outdated.
  await Promise.all(collections.map((collection) => collection.deleteMany({})));
  free[service].push(db.databaseName);
}
