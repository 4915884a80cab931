// The processes of a test run: those whose command line or environment names the folder of the run. All data folders are
// within it, and everything else inherits it in NTS_TEST_DIR. Unlike the parent of a process, this outlives every
// process in between.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Folders of databases within the folder of a suite. */
const DATABASES = ["mongodb", "redis", "nats"];
/** Where `ip netns` has network namespaces, and files for each of them. */
const NAMESPACES = "/run/netns";
const NAMESPACE_SETTINGS = "/etc/netns";
const POLL_MS = 50;
/** Killed processes disappear at once, unless the system is stuck. */
const LONGEST_MS = 20_000;

/** Kills all processes of a run except this one, and what they start meanwhile; resolves when none is left. */
export async function endProcessesOf(folder) {
  const end = Date.now() + LONGEST_MS;
  for (let left = processesOf(folder); left.length > 0 && Date.now() < end; left = processesOf(folder)) {
    for (const pid of left) kill(pid);
    await sleep(POLL_MS);
  }
}

/** The ids of the running processes of a run, without this one. */
export function processesOf(folder) {
  const isNamed = (text) => text.includes(`${folder}/`) || text.includes(`${folder}\0`);
  const all = process.platform === "linux" ? fromProc() : fromPs();
  return all.filter(([pid, text]) => pid !== process.pid && isNamed(`${text}\0`)).map(([pid]) => pid);
}

/** The logs of an interrupted run may be needed, its data is not, and may be in memory. */
export function removeDatabases(folder) {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  for (const suite of entries.filter((entry) => entry.isDirectory()))
    for (const name of DATABASES) rmSync(join(folder, suite.name, name), { recursive: true, force: true });
}

/** Removes laboratories whose process, by which their network namespaces are named, has ended. */
export function removeLaboratories() {
  const names = new Set([...entriesOf(NAMESPACES), ...entriesOf(NAMESPACE_SETTINGS)]);
  const left = [...names].filter((name) => {
    const pid = /^nts-(?:lab|wired)-(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  });
  if (left.length === 0) return;
  spawnSync("ip", ["-force", "-batch", "-"], { input: left.map((name) => `netns delete ${name}`).join("\n") });
  for (const name of left) rmSync(join(NAMESPACE_SETTINGS, name), { recursive: true, force: true });
}

/** Another run may be cleaning the same folder. */
export function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function fromProc() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), readIfAllowed(`/proc/${pid}/cmdline`) + readIfAllowed(`/proc/${pid}/environ`)]);
}

/** Empty for ended processes and those of other users. */
function readIfAllowed(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** With the environment, separated by blanks. */
function fromPs() {
  const output = execFileSync("ps", ["-axww", "-E", "-o", "pid=,command="], { encoding: "latin1" });
  return output
    .split("\n")
    .map((line) => /^\s*(\d+) (.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, text]) => [Number(pid), text.replaceAll(" ", "\0")]);
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
