import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { dirname, join } from "node:path";
import { logFileOf, runFolderOf } from "./processes/component.js";
import { findRunning } from "./processes/run-records.js";
import { ROOT } from "./processes/system.js";
import { mongodbUrlOf } from "./servers/mongod.js";
import { readSettings } from "./settings.js";
import { StartProblem } from "./start-problem.js";

/**
 * Runs the administration of identity on the database of a data folder, and answers its exit code. What it logs is kept
 * beside the logs of the processes.
 *
 * @throws StartProblem when no database is given and none runs on the data folder
 */
export async function admin({ args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv }): Promise<number> {
  const { dataDir, given } = readSettings([], env);
  const isHelp = args.includes("--help") || args.includes("-h");
  const url = given.mongodb ?? (isHelp ? "" : await runningOn(dataDir));
  const child = spawn(process.execPath, [join(ROOT, "services/identity/dist/admin/main.js"), ...args], {
    env: { ...env, MONGODB_URL: url },
    stdio: ["inherit", "inherit", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  if (!isHelp) child.stderr.pipe(openLog(logFileOf(dataDir, "admin")));
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}

function openLog(file: string): WriteStream {
  mkdirSync(dirname(file), { recursive: true });
  return createWriteStream(file, { flags: "a", mode: 0o600 });
}

async function runningOn(dataDir: string): Promise<string> {
  const record = await findRunning(runFolderOf(dataDir), "mongod");
  const url = record === null ? null : mongodbUrlOf(record.command);
  if (url !== null) return url;
  throw new StartProblem(
    `No MongoDB of npm start runs on ${dataDir}; run npm start first (DATA_DIR names another folder), or set MONGODB_URL.`,
  );
}
