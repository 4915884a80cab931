import type { Collection, Db, Document, Filter, IndexDescription, WithId } from "mongodb";
import type { Log } from "../log.js";
import { StartRefused } from "../start-refused.js";
import { withLock } from "./lock.js";
import { isIncomplete } from "./restore-marker.js";

/**
 * A schema migration. It may be interrupted and run again alongside replicas of the previous build, so each write is
 * conditional on what was read.
 */
export interface Migration {
  /** Starts with its number, such as `0001-collections`; never changed after a release. */
  readonly name: string;
  /**
   * True if builds without this migration cannot work afterwards. They then refuse to start, and only a backup leads
   * back. Additive migrations do not set it.
   */
  readonly breaksOlder?: boolean;
  readonly up: (db: Db) => Promise<void>;
}

/** A migration that older builds must know; its `_id` is its name. */
interface BreakingStep {
  _id: string;
  noted_at: Date;
}

/** Every index of a database, by collection. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

/**
 * Applies pending migrations in order, then creates missing indexes. Replicas that start together wait for each other.
 *
 * @throws Error if a restore into the database is incomplete
 * @throws StartRefused if a newer build has migrated the database beyond what this one can use
 */
export async function migrate(
  db: Db,
  { migrations, indexes, log }: { migrations: readonly Migration[]; indexes: Indexes; log: Log },
): Promise<void> {
  if (await isIncomplete(db)) throw new Error("a restore of this database has not ended; run it again");
  await withLock(db, "migrations", async () => {
    await refuseNewer(db, migrations);
    // Recorded before the migration runs, because an interrupted one may already affect older builds.
    await noteBreaking(db, migrations);
    await runMissing(db, migrations, log);
    await createIndexes(db, indexes);
  });
}

/** Runs pending migrations, recording each when it is done. */
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

/** The matching documents in batches, ordered by id, so that none rescans earlier ones. */
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

/** Creates missing collections, because implicit creation in a transaction conflicts with all others. */
export async function createCollections(db: Db, names: readonly string[]): Promise<void> {
  const existing = await db.listCollections({}, { nameOnly: true }).toArray();
  const missing = names.filter((name) => !existing.some((one) => one.name === name));
  for (const name of missing) await db.createCollection(name);
}

/** Creates missing indexes. */
export async function createIndexes(db: Db, indexes: Indexes): Promise<void> {
  for (const [collection, requested] of Object.entries(indexes))
    await db.collection(collection).createIndexes([...requested]);
}
