// The folder of one run of tests or of a benchmark: under it every suite keeps the data and logs of the processes it starts, and the list of
// them. Whatever a suite leaves running, because it crashed or was interrupted, is stopped when the folder is closed; what
// a killed test run leaves is stopped by the next one.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { killRunningScripts, ROOT } from "./checks.mjs";

/**
 * Opens the folder of this run; `close` stops what still runs, and removes the folder unless its logs are to be kept. On a
 * signal everything is stopped and `lastWords` are printed.
 */
export async function openRunFolder(lastWords) {
  const { stopLeftovers } = await import("../deploy/local/dist/processes/run-records.js");
  const clone = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
  const base = join(tmpdir(), `nts-test-${userInfo().uid}-${clone}`);
  const path = join(base, String(process.pid));
  mkdirSync(base, { recursive: true, mode: 0o700 });

  for (const earlier of readdirSync(base).filter((name) => !isAlive(Number(name)))) {
    await stopAll(join(base, earlier), stopLeftovers);
    rmSync(join(base, earlier), { recursive: true, force: true });
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

async function stopAll(folder, stopLeftovers) {
  for (const entry of readdirSync(folder)) {
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
