import type { Collection, Db, Document, Filter, IndexDescription, WithId } from "mongodb";
import type { Log } from "../log.js";
import { StartRefused } from "../start-refused.js";
import { optionsOf } from "./collection-options.js";
import { withLock } from "./lock.js";
import { createProgressKeeper, type ProgressKeeper } from "./migration-progress.js";
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
  readonly up: (db: Db, batchesById: BatchesById) => Promise<void>;
}

/**
 * The matching documents of a collection in batches, ordered by id. When the next batch is asked for, the position of the
 * previous one is saved, and an interrupted migration continues there; so each goes through a collection only once.
 */
export type BatchesById = <T extends { _id: string }>(
  collection: Collection<T>,
  filter?: Document,
) => AsyncGenerator<WithId<T>[]>;

/** Where an interrupted migration continues in a collection; stored beside the names of those that are done. */
interface Position {
  /** The names of the migration and the collection. */
  _id: string;
  position_of: string;
  after: string;
  /** Documents up to there. */
  done: number;
}

/** A migration that older builds must know; its `_id` is its name. */
interface BreakingStep {
  _id: string;
  noted_at: Date;
}

/** Every index of a database, by collection. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

interface Schema {
  readonly migrations: readonly Migration[];
  readonly indexes: Indexes;
  readonly log: Log;
  readonly progress?: ProgressKeeper;
  /** Documents of a batch. */
  readonly batch?: number;
}

const BATCH = 500;

/**
 * Applies pending migrations in order, then creates missing indexes. Replicas that start together wait for each other.
 *
 * @throws Error if a restore into the database is incomplete
 * @throws StartRefused if a newer build has migrated the database beyond what this one can use, or if its schema was not
 *   begun by the first of these migrations
 */
export async function migrate(
  db: Db,
  { migrations, indexes, log, progress = createProgressKeeper(log), batch = BATCH }: Schema,
): Promise<void> {
  if (await isIncomplete(db)) throw new Error("a restore of this database has not ended; run it again");
  progress.begin("waiting for another process");
  await withLock(db, "migrations", async () => {
    await refuseForeign(db, migrations);
    await refuseNewer(db, migrations);
    // Recorded before the migration runs, because an interrupted one may already affect older builds.
    await noteBreaking(db, migrations);
    await runMissing(db, { migrations, log, progress, batch });
    progress.begin("indexes");
    await createIndexes(db, indexes);
  });
  progress.end();
}

/** Runs pending migrations, recording each when it is done. */
async function runMissing(
  db: Db,
  { migrations, log, progress, batch }: Required<Omit<Schema, "indexes">>,
): Promise<void> {
  const done = db.collection<{ migrationName: string }>("migrations");
  const positions = db.collection<Position>("migrations");
  const names = new Set(await done.distinct("migrationName"));
  for (const { name, up } of migrations) {
    if (names.has(name)) continue;
    progress.begin(name);
    await up(db, (collection, filter) => batchesFrom(positions, name, { collection, filter, progress, batch }));
    await done.insertOne({ migrationName: name });
    await positions.deleteMany({ position_of: name });
    log.info({ migration: name }, "migrated");
  }
}

interface Pass<T extends { _id: string }> {
  readonly collection: Collection<T>;
  readonly filter: Document | undefined;
  readonly progress: ProgressKeeper;
  readonly batch: number;
}

/** See {@link BatchesById}. Each batch is cut by ids alone, so that no query has to look for matches in all documents. */
async function* batchesFrom<T extends { _id: string }>(
  positions: Collection<Position>,
  migration: string,
  { collection, filter, progress, batch }: Pass<T>,
): AsyncGenerator<WithId<T>[]> {
  const name = collection.collectionName;
  const _id = `${migration} ${name}`;
  const saved = await positions.findOne({ _id });
  const total = await collection.estimatedDocumentCount();
  let after = saved?.after ?? "";
  let done = saved?.done ?? 0;
  const byId = { hint: { _id: 1 }, sort: { _id: 1 } } as const;
  for (;;) {
    progress.count({ collection: name, done, total });
    const range = { _id: { $gt: after } } as Filter<T>;
    const ids = await collection.find(range, { ...byId, limit: batch, projection: { _id: 1 } }).toArray();
    const last = ids.at(-1)?._id as string | undefined;
    if (last === undefined) return;
    const found = await collection
      .find({ ...filter, _id: { $gt: after, $lte: last } } as unknown as Filter<T>, byId)
      .toArray();
    if (found.length > 0) yield found;
    after = last;
    done += ids.length;
    await positions.updateOne({ _id }, { $set: { position_of: migration, after, done } }, { upsert: true });
  }
}

/** For data of builds before the first release, which nothing migrates. @throws StartRefused */
async function refuseForeign(db: Db, [first]: readonly Migration[]): Promise<void> {
  const names = await db.collection<{ migrationName: string }>("migrations").distinct("migrationName");
  if (first === undefined || names.length === 0 || names.includes(first.name)) return;
  throw new StartRefused(
    `The database ${db.databaseName} was made by a build before version 0.2.0, whose data is not migrated. ` +
      "To start with an empty one, drop it, or set MONGODB_DATABASE to another name (with npm start: DATA_DIR to another " +
      "folder). To keep an inventory, export an archive of the organization with the old build, and import it into this one.",
  );
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

/** The matching documents in batches, ordered by id, so that none rescans earlier ones. Migrations are given their own. */
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
  for (const name of missing) await db.createCollection(name, optionsOf(name));
}

/** Drops the indexes of these collections that are not requested, or have other options; for migrations. */
export async function dropOtherIndexes(db: Db, indexes: Indexes): Promise<void> {
  for (const [name, requested] of Object.entries(indexes)) {
    const collection = db.collection(name);
    const wanted = new Set(requested.map(definitionOf));
    for (const index of await collection.indexes())
      if (index.name !== "_id_" && !wanted.has(definitionOf(index))) await collection.dropIndex(String(index.name));
  }
}

function definitionOf({ key, unique, expireAfterSeconds, partialFilterExpression }: IndexDescription): string {
  return JSON.stringify([
    Object.entries(key),
    unique ?? false,
    expireAfterSeconds ?? null,
    partialFilterExpression ?? null,
  ]);
}

/** Creates missing indexes. */
export async function createIndexes(db: Db, indexes: Indexes): Promise<void> {
  for (const [collection, requested] of Object.entries(indexes))
    await db.collection(collection).createIndexes([...requested]);
}
