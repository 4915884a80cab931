import { MongoError } from "mongodb";
import { ConfigError, readConfig } from "@nts/shared/config";
import { createLog } from "@nts/shared/log";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { TopologySettings } from "../config.js";
import { journalCollections } from "../journal/collections.js";
import { HELP, JournalProblem, runJournalCommand } from "./journal.js";

// Operator commands on the database of topology, whether topology runs or not. Standard output is for the operator, standard
// error for logs.

const AdminSettings = TopologySettings.pick({ MONGODB_URL: true, MONGODB_DATABASE: true });

const log = createLog("topology-admin", "info", 2);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${sentenceOf(error)}\n`);
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(HELP);
    return 0;
  }
  const [kind, ...others] = args;
  if (kind !== "journal") throw new JournalProblem(`Unknown command ${kind ?? ""}; see --help.`);
  const settings = readConfig(AdminSettings, process.env);
  const client = createMongoClient(settings.MONGODB_URL, "topology-admin");
  try {
    await client.connect();
    const collections = journalCollections(openDatabase(client, settings.MONGODB_DATABASE));
    process.stdout.write(`${await runJournalCommand({ collections, log }, others)}\n`);
    return 0;
  } finally {
    await client.close();
  }
}

/** The driver's messages may contain parts of the URL or of documents, so only names are printed. */
function sentenceOf(error: unknown): string {
  if (error instanceof JournalProblem || error instanceof ConfigError) return error.message;
  if (!(error instanceof MongoError)) throw error;
  return `MongoDB failed (${error.name}); MONGODB_URL must name the replica set that topology uses.`;
}
