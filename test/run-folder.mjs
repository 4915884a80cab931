// The folder of one run of tests or of a benchmark: under it every suite keeps the data and logs of the processes it
// starts, and the list of them. Whatever a suite leaves running, because it crashed or was interrupted, is stopped when the
// folder is closed; what a killed run leaves is stopped and removed by the next one, of this clone or of another.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { killRunningScripts, ROOT } from "./checks.mjs";

const MEMORY = "/dev/shm";
const BASES = `nts-test-${userInfo().uid}-`;
/** In the folder of a suite. */
const DATABASES = ["mongodb", "redis", "nats"];
/** Bytes that the servers of a test run may need there, several times over. */
const ROOM = 8 * 1024 ** 3;

/**
 * A folder in memory where there is room, else that for temporary files. Every commit is on disk before it is answered: on a
 * slow disk, tests wait for that most of the time.
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
 * Opens the folder of this run, in another one; `close` stops what still runs, and removes it unless its logs are to
 * be kept. On a signal everything is stopped and `lastWords` are printed.
 */
export async function openRunFolder({ within = tmpdir(), lastWords } = {}) {
  const { stopLeftovers } = await import("../deploy/local/dist/processes/run-records.js");
  const clone = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
  const base = join(within, BASES + clone);
  const path = join(base, String(process.pid));
  mkdirSync(base, { recursive: true, mode: 0o700 });

  for (const run of deadRuns(within)) {
    await stopAll(run, stopLeftovers);
    // The logs of another clone may still be wanted there.
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

/** The folders of runs whose process is gone, of all clones. */
function deadRuns(within) {
  const bases = entriesOf(within).filter((name) => name.startsWith(BASES));
  return bases.flatMap((base) =>
    entriesOf(join(within, base))
      .filter((name) => !isAlive(Number(name)))
      .map((name) => join(within, base, name)),
  );
}

/** Another run may be tidying up the same folder. */
function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function removeDatabases(run) {
  for (const suite of entriesOf(run))
    for (const name of DATABASES) rmSync(join(run, suite, name), { recursive: true, force: true });
}

async function stopAll(folder, stopLeftovers) {
  for (const entry of entriesOf(folder)) {
    await stopLeftovers(join(folder, entry, "starts")); // first, or they would start again what is stopped next
    await stopLeftovers(join(folder, entry, "run"));
  }
}

function isAlive(pid) {
  if (pid === process.pid) return false; // an earlier run that happened to have our id
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
