import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from "mongodb";
import { keepTrying, waitAtMost } from "../lifecycle.js";
import type { Log } from "../log.js";
import { DEADLINES } from "../timing.js";

/** For writes that need not wait for a majority. */
export const UNCONFIRMED = { w: 1, journal: false } as const;

const CLOSE_MS = 1_000;

/** Collection methods, with the position of their options argument. */
const OPTIONS_AT = {
  ...{ find: 1, findOne: 1, aggregate: 1, countDocuments: 1, distinct: 2 },
  ...{ insertOne: 1, insertMany: 1, updateOne: 2, updateMany: 2, replaceOne: 2, deleteOne: 1, deleteMany: 1 },
  ...{ findOneAndUpdate: 2, findOneAndReplace: 2, findOneAndDelete: 1, bulkWrite: 1 },
} satisfies Partial<Record<keyof Collection, number>>;

/** Creates a client with majority writes and reads that never go back in time; see {@link connectMongo}. */
export function createMongoClient(url: string, processName: string, options: MongoClientOptions = {}): MongoClient {
  return new MongoClient(url, {
    appName: processName,
    // A small pool is faster than a large one: more connections only queue at the server.
    maxPoolSize: 16,
    minPoolSize: 1,
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: DEADLINES.operationMs * 2,
    waitQueueTimeoutMS: DEADLINES.operationMs,
    ignoreUndefined: true,
    readPreference: "primary",
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", journal: true },
    ...options,
  });
}

/**
 * A client for work on all data, such as building an index, that may take any time. A lost server is noticed by its
 * heartbeats. Close it afterwards.
 */
export function createPatientClient(url: string, processName: string): MongoClient {
  return createMongoClient(url, `${processName}-migrations`, { maxPoolSize: 3, socketTimeoutMS: 0 });
}

/**
 * Connects a client with unlimited retries. It reconnects automatically later; but if it is used first and fails, the
 * driver leaves it unusable until `connect` is called.
 */
export async function connectMongo(client: MongoClient, log: Log): Promise<void> {
  await keepTrying(log, "connecting to the database", async () => {
    await client.connect();
  });
}

/** Closes a client without waiting for a hanging server. */
export async function closeMongo(client: MongoClient): Promise<void> {
  await waitAtMost(CLOSE_MS, client.close());
}

/**
 * Opens a database whose operations are limited to `DEADLINES.operationMs` unless they set `maxTimeMS`. Migrations have a
 * client of their own, see {@link createPatientClient}.
 */
export function openDatabase(client: MongoClient, name: string): Db {
  const db = client.db(name);
  const open = db.collection.bind(db);
  db.collection = <T extends Document>(...given: Parameters<Db["collection"]>) => bounded(open<T>(...given));
  return db;
}

function bounded<T extends Document>(collection: Collection<T>): Collection<T> {
  const operations = collection as unknown as Record<string, (...given: unknown[]) => unknown>;
  for (const [name, at] of Object.entries(OPTIONS_AT)) {
    const run = operations[name]?.bind(collection);
    operations[name] = (...given) => {
      given[at] = { maxTimeMS: DEADLINES.operationMs, ...(given[at] as object | undefined) };
      return run?.(...given);
    };
  }
  return collection;
}
