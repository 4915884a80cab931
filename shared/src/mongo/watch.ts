import { MongoClient } from "mongodb";
import { keepTrying } from "../lifecycle.js";
import type { Log } from "../log.js";
import { closeMongo } from "./connect.js";

/** Milliseconds without any response to a heartbeat before the database counts as unavailable: busy is not unavailable. */
const SILENT_MS = 10_000;

/** Whether there is a database, for readiness. */
export interface DatabaseWatch {
  /** @throws Error while there is no primary */
  requireAvailable(): void;
  close(): Promise<void>;
}

/**
 * Watches for the primary by the heartbeats of a client of its own. Those of the client of the requests would not do: its
 * pool may be in use, and a slow server that does not accept further connections of it in time counts as lost.
 */
export function watchDatabase(url: string, processName: string, log: Log): DatabaseWatch {
  const client = new MongoClient(url, {
    appName: `${processName}-readiness`,
    maxPoolSize: 1,
    connectTimeoutMS: SILENT_MS,
  });
  let isAvailable = false;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    isAvailable = [...newDescription.servers.values()].some(({ isWritable }) => isWritable);
  });
  void keepTrying(log, "watching the database", async () => {
    await client.connect();
  });
  return {
    requireAvailable: () => {
      if (!isAvailable) throw new Error("the database is unavailable");
    },
    close: () => closeMongo(client),
  };
}
