import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { MongoClient } from "mongodb";
import { z } from "zod";
import { ConfigError, readConfig } from "@nts/shared/config";
import { requireIntact, type Databases } from "./databases.js";
import { decode, type Piece } from "./format.js";
import { ArchiveProblem } from "./problem.js";
import { check, restore, type Contents } from "./restore.js";
import { save } from "./save.js";

// Backups use standard input and output; messages go to standard error.

const HELP = `Creates and restores consistent backups of both databases.

  node dist/bundle/main.js save >FILE                  writes an online backup
  node dist/bundle/main.js check <FILE                 validates a backup and summarizes its content
  node dist/bundle/main.js restore <FILE               restores a backup into empty databases
  node dist/bundle/main.js restore --replace <FILE     restores a backup, replacing existing data
  node dist/bundle/main.js intact                      fails if an incomplete restore left a database unusable

Before a restore, stop gateway, identity and topology. Settings (environment variables):
  MONGODB_URL        a replica set, with a user that can read both databases, and for a restore also drop and write them
  IDENTITY_DATABASE  default identity
  TOPOLOGY_DATABASE  default topology
  SNAPSHOT_WINDOW_SECONDS  MongoDB's minSnapshotHistoryWindowInSeconds, default 300; a backup that takes more than half of it says so
`;

const Settings = z.object({
  MONGODB_URL: z.string(),
  IDENTITY_DATABASE: z.string().default("identity"),
  TOPOLOGY_DATABASE: z.string().default("topology"),
  SNAPSHOT_WINDOW_SECONDS: z.coerce.number().int().min(1).default(300),
});

const say = (text: string): void => void process.stderr.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof ArchiveProblem || error instanceof ConfigError) say(error.message);
  else if ((error as { code?: unknown }).code === "Z_BUF_ERROR") say("The backup is truncated.");
  else if ((error as { code?: unknown }).code === "Z_DATA_ERROR") say("This is not a backup, or it is damaged.");
  else throw error;
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const command = args.join(" ");
  switch (command) {
    case "save":
      await withDatabases(saveInTime);
      return 0;
    case "check":
      report(await check(given()), "The backup is whole");
      return 0;
    case "restore":
    case "restore --replace":
      await withDatabases(async (_, databases) => {
        report(await restore(given(), databases, { replace: args.length > 1 }), "Restored");
      });
      return 0;
    case "intact":
      await withDatabases((_, databases) => requireIntact(databases));
      return 0;
    case "--help":
      process.stdout.write(HELP);
      return 0;
    default:
      say("A command is missing: save, check, restore or intact; see --help.");
      return 2;
  }
}

/** Says in time that backups will fail before long, as the databases grow. */
async function saveInTime(client: MongoClient, databases: Databases): Promise<void> {
  const { SNAPSHOT_WINDOW_SECONDS: windowSeconds } = readConfig(Settings, process.env);
  const startedAt = performance.now();
  await pipeline(Readable.from(save(client, databases)), createGzip(), process.stdout);
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  if (seconds <= windowSeconds / 2) return;
  say(
    `The backup took ${seconds} s of the ${windowSeconds} s for which MongoDB keeps the past; a longer one fails. Raise SNAPSHOT_WINDOW_SECONDS.`,
  );
}

function given(): AsyncGenerator<Piece> {
  const unzipped = createGunzip();
  process.stdin.on("error", (error) => unzipped.destroy(error)).pipe(unzipped);
  return decode(unzipped);
}

async function withDatabases(task: (client: MongoClient, databases: Databases) => Promise<void>): Promise<void> {
  const settings = readConfig(Settings, process.env);
  const client = new MongoClient(settings.MONGODB_URL, {
    appName: "archive",
    serverSelectionTimeoutMS: 5_000,
    writeConcern: { w: "majority" },
  });
  try {
    await task(client, {
      identity: client.db(settings.IDENTITY_DATABASE),
      topology: client.db(settings.TOPOLOGY_DATABASE),
    });
  } finally {
    await client.close();
  }
}

function report(contents: Contents, what: string): void {
  for (const [name, count] of Object.entries(contents)) say(`  ${name}: ${count}`);
  const total = Object.values(contents).reduce((sum, count) => sum + count, 0);
  say(`${what}: ${total} documents.`);
}
