// Prevents concurrent installs and builds in one folder. It runs before any package is installed.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;

/** Runs `action` exclusively for the folder; the lock of a dead process is ignored. */
export async function withLock(folder, report, action) {
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  const file = join(tmpdir(), `nts-prepare-${userInfo().uid}-${name}.lock`);
  for (let waited = 0; !take(file); waited += 1) {
    if (waited === 0) report("Another process is installing or compiling in this folder; waiting for it …");
    await sleep(POLL_MS);
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await action();
  } finally {
    process.off("exit", release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function isHeld(file) {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    if (holder === process.pid) return false; // an earlier process with our id died without cleaning up
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
