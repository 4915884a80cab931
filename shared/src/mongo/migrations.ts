import type { Collection, Db, Document, Filter, IndexDescription, WithId } from "mongodb";
import type { Log } from "../log.js";
import { StartRefused } from "../start-refused.js";
import { withLock } from "./lock.js";
import { isIncomplete } from "./restore-marker.js";

/**
 * One step of a schema's history. It may run again after it was cut off, so it finds its own work done without harm; and it
 * runs beside replicas of the previous build, so each of its writes is conditional on what it has read.
 */
export interface Migration {
  /** Begins with its number, such as `0001-collections`; never changed once released. */
  readonly name: string;
  /**
   * True when builds that do not know this step cannot work on the database after it. They refuse to start from then on;
   * the way back is the backup. A step that only adds needs none: the previous build runs on.
   */
  readonly breaksOlder?: boolean;
  readonly up: (db: Db) => Promise<void>;
}

/** A step that older builds have to know; its `_id` is its name. */
interface BreakingStep {
  _id: string;
  noted_at: Date;
}

/** Every index of a database, by collection. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

/**
 * Brings a database to the schema of this version: the migrations that it has not had yet, in their order, then the
 * indexes that are missing. Replicas that start together wait for each other.
 *
 * @throws Error when a restore into the database has begun and not ended
 * @throws StartRefused when a newer build has brought the database to what this one cannot work on
 */
export async function migrate(
  db: Db,
  { migrations, indexes, log }: { migrations: readonly Migration[]; indexes: Indexes; log: Log },
): Promise<void> {
  if (await isIncomplete(db)) throw new Error("a restore of this database has not ended; run it again");
  await withLock(db, "migrations", async () => {
    await refuseNewer(db, migrations);
    // Noted before the step runs: a step that is cut off may have done its harm to older builds.
    await noteBreaking(db, migrations);
    await runMissing(db, migrations, log);
    await createIndexes(db, indexes);
  });
}

/** Runs the steps that the database has not had yet, and notes each when it is done. */
async function runMissing(db: Db, migrations: readonly Migration[], log: Log): Promise<void> {
  const done = db.collection<{ migrationName: string }>("migrations");
  const names = new Set(await done.distinct("migrationName"));
  for (const { name, up } of migrations) {
    if (names.has(name)) continue;
    await up(db);
    await done.insertOne({ migrationName: name });
    log.info({ migration: name }, "migrated");
  }
}

/** @throws StartRefused */
async function refuseNewer(db: Db, migrations: readonly Migration[]): Promise<void> {
  const breaking = await db.collection<BreakingStep>("breaking_migrations").find().sort({ _id: 1 }).toArray();
  const unknown = breaking.find(({ _id }) => !migrations.some(({ name }) => name === _id));
  if (unknown === undefined) return;
  throw new StartRefused(
    `The database ${db.databaseName} was brought to a newer version (${unknown._id}) that this one cannot work on. ` +
      "Start the newer version, or restore the backup that was taken before the upgrade.",
  );
}

async function noteBreaking(db: Db, migrations: readonly Migration[]): Promise<void> {
  const steps = db.collection<BreakingStep>("breaking_migrations");
  for (const { name, breaksOlder = false } of migrations)
    if (breaksOlder) await steps.updateOne({ _id: name }, { $setOnInsert: { noted_at: new Date() } }, { upsert: true });
}

const BATCH = 500;

/** The documents that match, in batches in the order of their ids: so none passes over what earlier ones have done. */
export async function* batchesById<T extends { _id: string }>(
  collection: Collection<T>,
  filter: Document = {},
): AsyncGenerator<WithId<T>[]> {
  for (let after = ""; ;) {
    const next = { ...filter, _id: { $gt: after } } as Filter<T>;
    const found = await collection
      .find(next, { hint: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    const last = found.at(-1);
    if (last === undefined) return;
    yield found;
    after = last._id;
  }
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
