import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { logFileOf, runFolderOf } from "./processes/component.js";
import { findRunning } from "./processes/run-records.js";
import { ROOT } from "./processes/system.js";
import { loadSecrets } from "./secrets.js";
import { mongodbUrlOf } from "./servers/mongod.js";
import { readSettings } from "./settings.js";
import { StartProblem } from "./start-problem.js";

/** Commands of topology; the others are identity's. */
const OF_TOPOLOGY = new Set(["journal"]);

/**
 * Runs the administration of identity or topology on the database of a data folder, and returns its exit code. Its log is stored next to
 * those of the processes.
 *
 * @throws StartProblem if no database is given and none runs on the data folder
 */
export async function admin({ args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv }): Promise<number> {
  const { dataDir, given } = readSettings([], env);
  const isHelp = args.includes("--help") || args.includes("-h");
  const url = given.mongodb ?? (isHelp ? "" : await runningOn(dataDir));
  const service = OF_TOPOLOGY.has(args[0] ?? "") ? "topology" : "identity";
  const child = execa(process.execPath, [join(ROOT, "services", service, "dist/bundle/admin.js"), ...args], {
    env: { ...env, MONGODB_URL: url },
    extendEnv: false,
    stdio: ["inherit", "inherit", "pipe"],
    buffer: false,
    reject: false,
  });
  child.stderr.pipe(process.stderr);
  if (!isHelp) child.stderr.pipe(openLog(logFileOf(dataDir, "admin")));
  return (await child).exitCode ?? 1;
}

function openLog(file: string): WriteStream {
  mkdirSync(dirname(file), { recursive: true });
  return createWriteStream(file, { flags: "a", mode: 0o600 });
}

async function runningOn(dataDir: string): Promise<string> {
  const record = await findRunning(runFolderOf(dataDir), "mongod");
  const url = record === null ? null : mongodbUrlOf(record.command, loadSecrets(dataDir).mongodbPassword);
  if (url !== null) return url;
  throw new StartProblem(
    `No MongoDB of npm start runs on ${dataDir}; run npm start first (DATA_DIR names another folder), or set MONGODB_URL.`,
  );
}
