// The folder of a test run or benchmark: it contains the data, logs and process list of every suite. Leftover processes
// are stopped when it is closed; those of a killed run are stopped and removed by the next run.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { killRunningScripts, ROOT } from "./checks.mjs";

const MEMORY = "/dev/shm";
const BASES = `nts-test-${userInfo().uid}-`;
/** Folders of databases within the folder of a suite. */
const DATABASES = ["mongodb", "redis", "nats"];
/** Bytes that the servers of a test run may need, several times over. */
const ROOM = 8 * 1024 ** 3;

/**
 * A folder in memory if there is room, otherwise in the temporary folder: every commit is synced to disk, which
 * dominates test time on slow disks.
 */
export function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) < ROOM ? tmpdir() : MEMORY;
  } catch {
    return tmpdir(); // another kind of system
  }
}

/**
 * Opens the folder of this run within another one; `close` stops leftovers, and removes it unless its logs are kept. On
 * a signal everything is stopped and `lastWords` are printed.
 */
export async function openRunFolder({ within = tmpdir(), lastWords } = {}) {
  const { stopLeftovers } = await import("../deploy/local/dist/processes/run-records.js");
  const clone = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
  const base = join(within, BASES + clone);
  const path = join(base, String(process.pid));
  mkdirSync(base, { recursive: true, mode: 0o700 });

  for (const run of deadRuns(within)) {
    await stopAll(run, stopLeftovers);
    // The logs of another clone may still be needed.
    if (dirname(run) === base) rmSync(run, { recursive: true, force: true });
    else removeDatabases(run);
  }
  mkdirSync(path, { recursive: true });

  let isInterrupted = false;
  const stopOnSignal = (signal) => {
    isInterrupted = true;
    killRunningScripts();
    void stopAll(path, stopLeftovers).then(() => {
      console.log(`Interrupted by ${signal}; the processes that it started are stopped.`);
      if (lastWords !== undefined) console.log(lastWords);
      process.exit(1);
    });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stopOnSignal);

  return {
    path,
    async close({ keepLogs }) {
      if (isInterrupted) await new Promise(() => undefined); // the signal ends the process
      await stopAll(path, stopLeftovers);
      if (keepLogs) console.log(`The logs of the tested processes are kept in ${path}`);
      else rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The folders of runs whose process has ended, of all clones. */
function deadRuns(within) {
  const bases = entriesOf(within).filter((name) => name.startsWith(BASES));
  return bases.flatMap((base) =>
    entriesOf(join(within, base))
      .filter((name) => !isAlive(Number(name)))
      .map((name) => join(within, base, name)),
  );
}

/** Another run may be cleaning the same folder. */
function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function removeDatabases(run) {
  for (const suite of entriesOf(run))
    for (const name of DATABASES) rmSync(join(run, suite, name), { recursive: true, force: true });
}

async function stopAll(folder, stopLeftovers) {
  for (const entry of entriesOf(folder)) {
    await stopLeftovers(join(folder, entry, "starts")); // first, or they would restart what is stopped next
    await stopLeftovers(join(folder, entry, "run"));
  }
}

function isAlive(pid) {
  if (pid === process.pid) return false; // an earlier run with the same process id
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
