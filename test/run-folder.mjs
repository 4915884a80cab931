// The folder of a test run or benchmark: it contains the data and logs of every suite. Whatever the run has started ends
// with it: on a signal by the run itself, and by its watchdog when it is killed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./checks.mjs";
import { endProcessesOf, entriesOf, removeDatabases } from "./run-processes.mjs";

const MEMORY = "/dev/shm";
const BASES = `nts-test-${userInfo().uid}-`;
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
 * Opens the folder of this run within another one, and names it in NTS_TEST_DIR; `close` ends what is left, and removes
 * the folder unless its logs are kept. On a signal everything is ended and `lastWords` are printed.
 */
export async function openRunFolder({ within = tmpdir(), lastWords } = {}) {
  const clone = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
  const base = join(within, BASES + clone);
  const path = join(base, String(process.pid));
  mkdirSync(base, { recursive: true, mode: 0o700 });

  for (const run of deadRuns(within)) {
    await endProcessesOf(run); // those whose watchdog was killed as well
    // The logs of another clone may still be needed.
    if (dirname(run) === base) rmSync(run, { recursive: true, force: true });
    else removeDatabases(run);
  }
  mkdirSync(path, { recursive: true });
  process.env.NTS_TEST_DIR = path;
  startWatchdog(path);

  let isInterrupted = false;
  const stopOnSignal = (signal) => {
    if (isInterrupted) return;
    isInterrupted = true;
    void endProcessesOf(path).then(() => {
      console.log(`Interrupted by ${signal}; the processes that it started are stopped.`);
      if (lastWords !== undefined) console.log(lastWords);
      process.exit(1);
    });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stopOnSignal);

  return {
    path,
    async close({ keepLogs }) {
      if (isInterrupted) await new Promise(() => undefined); // the signal ends the process
      await endProcessesOf(path);
      if (keepLogs) console.log(`The logs of the tested processes are kept in ${path}`);
      else rmSync(path, { recursive: true, force: true });
    },
  };
}

/** It learns the folder by its input, as everything that names the folder is ended. */
function startWatchdog(folder) {
  const script = fileURLToPath(new URL("watchdog.mjs", import.meta.url));
  const { PATH } = process.env;
  const watchdog = spawn(process.execPath, [script], {
    detached: true,
    env: { PATH },
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog.stdin.write(`${folder}\n`);
  watchdog.stdin.unref();
  watchdog.unref();
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

function isAlive(pid) {
  if (pid === process.pid) return false; // an earlier run with the same process id
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
