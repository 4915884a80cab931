import type { Db } from "mongodb";
import { keepTrying } from "../lifecycle.js";
import type { Log } from "../log.js";
import { closeMongo, connectMongo, createPatientClient } from "./connect.js";
import type { ProgressKeeper } from "./migration-progress.js";

interface Migrated {
  readonly url: string;
  readonly database: string;
  /** Of the process, for the database's log. */
  readonly name: string;
  readonly log: Log;
  readonly progress: ProgressKeeper;
}

/**
 * Runs a task that migrates the database until it succeeds, on a client without the time limits of requests: work that a
 * limit cuts off would be repeated forever.
 *
 * @throws StartRefused for failures that no retry would fix
 */
export async function bringUpToDate(
  { url, database, name, log, progress }: Migrated,
  task: (db: Db) => Promise<void>,
): Promise<void> {
  const client = createPatientClient(url, name);
  try {
    await connectMongo(client, log);
    await keepTrying(log, "bringing the database up to date", async () => {
      try {
        await task(client.db(database));
      } catch (error) {
        progress.fail();
        throw error;
      }
    });
  } finally {
    await closeMongo(client);
  }
}
