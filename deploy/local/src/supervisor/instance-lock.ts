/**
 * One run per data folder, as two would start two MongoDBs on the same files. Not proper-lockfile, which detects a dead
 * holder only by age: holders are identified by id and command line.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLineOf } from "../processes/identify.js";
import { StartProblem } from "../start-problem.js";

interface Holder {
  readonly pid: number;
  readonly command: string;
  readonly url: string;
}

const ATTEMPTS = 5;
const HALF_WRITTEN_MS = 200;

/**
 * Locks the data folder for this process, and returns the release function. Dead holders do not count.
 *
 * @throws StartProblem if another run has the folder
 */
export async function takeDataDir(dataDir: string, url: string): Promise<() => void> {
  const file = join(dataDir, "supervisor.json");
  const own: Holder = { pid: process.pid, command: (await commandLineOf(process.pid)) ?? "", url };
  makeFolder(dataDir);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (create(file, own)) {
      return () => {
        rmSync(file, { force: true });
      };
    }
    const holder = await readHolder(file);
    if (holder !== null && (await lives(holder))) throw alreadyRunning(holder, dataDir);
    removeStale(file, holder);
  }
  throw new StartProblem(`Several starts compete for ${dataDir}; try again.`);
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      `The data folder ${dataDir} cannot be made (${code}); set DATA_DIR to a folder you may write.`,
    );
  }
}

function create(file: string, own: Holder): boolean {
  try {
    writeFileSync(file, JSON.stringify(own), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new StartProblem(`${file} cannot be written (${code}); set DATA_DIR to a folder you may write.`);
  }
}

/** Null if there is no readable lock: then the folder is free. */
async function readHolder(file: string): Promise<Holder | null> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Holder;
    } catch {
      await sleep(HALF_WRITTEN_MS); // possibly being created by another process right now
    }
  }
  return null;
}

async function lives(holder: Holder): Promise<boolean> {
  return holder.pid !== process.pid && (await commandLineOf(holder.pid)) === holder.command;
}

/** Moved aside before deletion: if it was replaced meanwhile, the new one is restored. */
function removeStale(file: string, judged: Holder | null): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    const moved = JSON.parse(readFileSync(aside, "utf8")) as Holder;
    if (judged !== null && moved.pid !== judged.pid) renameSync(aside, file);
  } catch {
    // gone already, or unreadable: either way nobody's
  }
  rmSync(aside, { force: true });
}

function alreadyRunning(holder: Holder, dataDir: string): StartProblem {
  return new StartProblem(
    `A system with the data folder ${dataDir} runs already (${holder.url}, process ${holder.pid}); stop it first, or start a second one with its own PORT and DATA_DIR.`,
  );
}
