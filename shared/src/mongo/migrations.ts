import type { Db, IndexDescription } from "mongodb";
import { MongoDBStorage, Umzug } from "umzug";
import type { Log } from "../log.js";
import { withLock } from "./lock.js";

/** One step of a schema's history. It may run again after it was cut off, so it finds its own work done without harm. */
export interface Migration {
  /** Begins with its number, such as `0001-collections`; never changed once released. */
  readonly name: string;
  readonly up: (db: Db) => Promise<void>;
}

/** Every index of a database, by collection. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

/**
 * Brings a database to the schema of this version: the migrations that it has not had yet, in their order, then the
 * indexes that are missing. Replicas that start together wait for each other.
 */
export async function migrate(
  db: Db,
  { migrations, indexes, log }: { migrations: readonly Migration[]; indexes: Indexes; log: Log },
): Promise<void> {
  const umzug = new Umzug({
    migrations: migrations.map(({ name, up }) => ({ name, up: () => up(db) })),
    storage: new MongoDBStorage({ collection: db.collection("migrations") }),
    logger: undefined,
  });
  await withLock(db, "migrations", async () => {
    for (const { name } of await umzug.up()) log.info({ migration: name }, "migrated");
    await createIndexes(db, indexes);
  });
}

/** Makes collections that are missing: a transaction that had to make one would collide with every other. */
export async function createCollections(db: Db, names: readonly string[]): Promise<void> {
  const existing = await db.listCollections({}, { nameOnly: true }).toArray();
  const missing = names.filter((name) => !existing.some((one) => one.name === name));
  for (const name of missing) await db.createCollection(name);
}

/** Makes the indexes that are missing. */
export async function createIndexes(db: Db, indexes: Indexes): Promise<void> {
  for (const [collection, wanted] of Object.entries(indexes))
    await db.collection(collection).createIndexes([...wanted]);
}
