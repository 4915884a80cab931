import { MongoClient, type Db } from "mongodb";
import { keepTrying } from "../lifecycle.js";
import type { Log } from "../log.js";

/** Milliseconds for one operation of the database; a transaction and a request have longer ones. */
export const OPERATION_MS = 5_000;

/** A client whose writes survive the loss of a member and whose reads never go back, to be connected by {@link connectMongo}. */
export function createMongoClient(url: string, processName: string): MongoClient {
  return new MongoClient(url, {
    appName: processName,
    // A small pool beats a large one: more connections only queue at the server.
    maxPoolSize: 16,
    minPoolSize: 1,
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: OPERATION_MS * 2,
    waitQueueTimeoutMS: OPERATION_MS,
    ignoreUndefined: true,
    readPreference: "primary",
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", journal: true },
  });
}

/**
 * Connects a client, however long that takes. From then on it finds its way back by itself; but when a use comes first
 * and fails, the driver leaves the client unusable until it is told to connect.
 */
export async function connectMongo(client: MongoClient, log: Log): Promise<void> {
  await keepTrying(log, "connecting to the database", async () => {
    await client.connect();
  });
}

/** Rejects while the database cannot be reached. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.command({ ping: 1 }, { timeoutMS: 1_000 });
}
