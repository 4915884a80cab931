// Installs packages as in the lock file and compiles sources. Plain JavaScript without dependencies; takes milliseconds
// if nothing has changed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeBundles, describeSite, describeSources, removeStaleOutputs } from "./outputs.mjs";
import { withLock } from "./prepare-lock.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MODULES = join(ROOT, "node_modules");
const BUNDLER = join(ROOT, "deploy/local/bundle.mjs");
const STAMP = join(MODULES, ".prepared.json");

/** A problem that the user can solve; its message is printed. */
export class PrepareProblem extends Error {}

/** Installs and compiles what is missing or outdated; `tests` includes the tests. */
export async function prepare({ tests, report }) {
  if (isPrepared(tests)) return;
  await withLock(ROOT, report, async () => {
    if (!isInstalled()) await install(report);
    if (!isBuilt(tests)) await build(tests, report);
    if (!areBundled()) await bundle();
    if (!isSiteBuilt()) await buildSite(report);
  });
}

/** Compiled for tests only: the console is built by `vite build`, the command line by its bundle. */
const FOR_TESTS = ["test", "gateway/web", "cli"];

/** The workspaces compiled by `tsc -b`, relative to the root. */
export function projects(tests) {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return workspaces.filter(
    (folder) => existsSync(join(ROOT, folder, "tsconfig.json")) && (tests || !FOR_TESTS.includes(folder)),
  );
}

function isPrepared(tests) {
  return isInstalled() && isBuilt(tests) && areBundled() && isSiteBuilt();
}

function isInstalled() {
  return existsSync(STAMP) ? readStamp().installed === lockHash() : adoptInstallation();
}

/** Packages installed by npm itself are accepted if npm's record agrees with the lock file. */
function adoptInstallation() {
  const record = join(MODULES, ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages);
  const agrees = wanted.every(([path, { version, link, optional }]) => {
    const isPackage = path.includes("node_modules/") && !link;
    return !isPackage || (optional && !installed[path]) || installed[path]?.version === version;
  });
  if (agrees) writeStamp({ installed: lockHash() });
  return agrees;
}

async function install(report) {
  report("Installing packages (npm ci) …");
  rmSync(STAMP, { force: true });
  if ((await run("npm", ["ci", "--loglevel=error", "--no-progress", "--no-audit", "--no-fund"])) !== 0) {
    throw new PrepareProblem(
      "npm ci failed as shown above; check the network connection and the registry settings, then try again.",
    );
  }
  writeStamp({ installed: lockHash() });
}

function isBuilt(tests) {
  const { hash, complete } = describeSources(ROOT, projects(tests));
  return complete && readStamp()[tests ? "builtWithTests" : "built"] === hash;
}

async function build(tests, report) {
  report("Compiling …");
  const folders = projects(tests);
  const { hash } = describeSources(ROOT, folders);
  removeStaleOutputs(ROOT, folders);
  const compiler = join(MODULES, "typescript-7", "bin", "tsc");
  if ((await run(process.execPath, [compiler, "-b", ...folders])) !== 0) {
    throw new PrepareProblem("The sources do not compile; the compiler's messages are above.");
  }
  writeStamp({ [tests ? "builtWithTests" : "built"]: hash });
}

function areBundled() {
  const { hash, complete } = describeBundles(ROOT);
  return complete && readStamp().bundled === hash;
}

async function bundle() {
  const { hash } = describeBundles(ROOT);
  if ((await run(process.execPath, [BUNDLER])) !== 0)
    throw new PrepareProblem("The processes cannot be bundled; the messages are above.");
  writeStamp({ bundled: hash });
}

function isSiteBuilt() {
  const { hash, complete } = describeSite(ROOT);
  return complete && readStamp().site === hash;
}

async function buildSite(report) {
  report("Building the console …");
  const { hash } = describeSite(ROOT);
  const builder = join(MODULES, "vite", "bin", "vite.js");
  if ((await run(process.execPath, [builder, "build", "gateway/web", "--logLevel", "warn"])) !== 0) {
    throw new PrepareProblem("The console cannot be built; the messages are above.");
  }
  writeStamp({ site: hash });
}

function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
}

/** Inside node_modules, so that it is deleted with the packages. */
function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, "utf8"));
  } catch {
    return {};
  }
}

function writeStamp(part) {
  writeFileSync(STAMP, JSON.stringify({ ...readStamp(), ...part }));
}

/** Runs a tool; forwards a termination signal to it, and then exits. */
async function run(command, args) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  let stoppedBy = null;
  const passOn = (signal) => {
    stoppedBy = signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, passOn);
  const code = await new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", resolve);
  });
  for (const signal of signals) process.off(signal, passOn);
  if (stoppedBy !== null) process.exit(1);
  return code;
}
