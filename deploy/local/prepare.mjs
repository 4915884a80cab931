// Installs packages as in the lock file and compiles sources. Plain JavaScript without dependencies; takes milliseconds
// if nothing has changed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchEarly } from "./fetch-early.mjs";
import { describeBundles, describeSite, describeSources, removeStaleOutputs } from "./outputs.mjs";
import { withLock } from "./prepare-lock.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MODULES = join(ROOT, "node_modules");
const BUNDLER = join(ROOT, "deploy/local/bundle.mjs");
const STAMP = join(MODULES, ".prepared.json");

/** A problem that the user can solve; its message is printed. */
export class PrepareProblem extends Error {}

/**
 * Installs and builds what is missing or outdated. `tests` includes what only tests and checks need: all packages, and
 * compiled files with checked types; otherwise the processes and the console are bundled from their sources.
 */
export async function prepare({ tests, report }) {
  if (isPrepared(tests)) return;
  await withLock(ROOT, report, async () => {
    const step = async (name, action) => {
      const startedAt = Date.now();
      await action();
      report(`  ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
    };
    const isMissing = !isInstalled(tests);
    const build = async () => {
      if (isMissing) await step("packages installed", () => install(tests));
      await Promise.all([
        tests && !isCompiled() && step("sources compiled", compile),
        !areBundled() && step("processes bundled", bundle),
        !isSiteBuilt(tests) && step("console built", () => buildSite(tests)),
      ]);
    };
    try {
      await Promise.all([build(), isMissing && !tests && step("servers found", () => fetchEarly(run))]);
    } finally {
      for (const tool of running) tool.kill(); // after a failure, the others would be waited for
    }
  });
}

/** The workspaces compiled by `tsc -b`, relative to the root. */
export function projects() {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return workspaces.filter((folder) => existsSync(join(ROOT, folder, "tsconfig.json")));
}

function isPrepared(tests) {
  return isInstalled(tests) && (!tests || isCompiled()) && areBundled() && isSiteBuilt(tests);
}

/** `installed` has all packages, `installedToRun` those that are needed without tests. */
function isInstalled(tests) {
  const { installed, installedToRun } = readStamp();
  const hash = lockHash();
  return installed === hash || (!tests && installedToRun === hash) || adoptInstallation(tests);
}

/** Packages that are already there are accepted if npm's record agrees with the lock file. */
function adoptInstallation(tests) {
  const record = join(MODULES, ".package-lock.json");
  if (!existsSync(record)) return false;
  const present = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages);
  const agrees = wanted.every(([path, { version, link, optional, dev }]) => {
    const isPackage = path.includes("node_modules/") && !link && (tests || !dev);
    return !isPackage || (optional && !present[path]) || present[path]?.version === version;
  });
  if (agrees) writeStamp({ [tests ? "installed" : "installedToRun"]: lockHash() });
  return agrees;
}

/** Missing packages are added to those that a start has installed, which may be running. */
async function install(tests) {
  const isAdding = tests && readStamp().installedToRun === lockHash();
  const command = isAdding ? ["install", "--no-save"] : ["ci", ...(tests ? [] : ["--omit=dev"])];
  if (!isAdding) rmSync(STAMP, { force: true });
  if ((await run("npm", [...command, "--loglevel=error", "--no-progress", "--no-audit", "--no-fund"])) !== 0) {
    throw new PrepareProblem(
      `npm ${command[0]} failed as shown above; check the network connection and the registry settings, then try again.`,
    );
  }
  writeStamp({ [tests ? "installed" : "installedToRun"]: lockHash() });
}

function isCompiled() {
  const { hash, complete } = describeSources(ROOT, projects());
  return complete && readStamp().compiled === hash;
}

async function compile() {
  const folders = projects();
  const { hash } = describeSources(ROOT, folders);
  removeStaleOutputs(ROOT, folders);
  const compiler = join(MODULES, "typescript-7", "bin", "tsc");
  // Several checkers at a time would each evaluate the types of the contract: twice the processor time and memory.
  if ((await run(process.execPath, [compiler, "-b", "--checkers", "1", ...folders])) !== 0) {
    throw new PrepareProblem("The sources do not compile; the compiler's messages are above.");
  }
  writeStamp({ compiled: hash });
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

/** `site` is compressed as in an image, `siteToRun` faster, for this machine. */
function isSiteBuilt(tests) {
  const { hash, complete } = describeSite(ROOT);
  const { site, siteToRun } = readStamp();
  return complete && (site === hash || (!tests && siteToRun === hash));
}

async function buildSite(tests) {
  const { hash } = describeSite(ROOT);
  const builder = join(MODULES, "vite", "bin", "vite.js");
  const env = tests ? {} : { QUICK_COMPRESSION: "yes" };
  if ((await run(process.execPath, [builder, "build", "gateway/web", "--logLevel", "warn"], env)) !== 0) {
    throw new PrepareProblem("The console cannot be built; the messages are above.");
  }
  writeStamp({ site: undefined, siteToRun: undefined, [tests ? "site" : "siteToRun"]: hash });
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

/** The tools that run now. */
const running = new Set();

/** Runs a tool; forwards a termination signal to it, and then exits. */
async function run(command, args, env = {}) {
  const stdio = ["ignore", "inherit", "inherit"];
  const child = spawn(command, args, { cwd: ROOT, stdio, env: { ...process.env, ...env } });
  running.add(child);
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
  running.delete(child);
  for (const signal of signals) process.off(signal, passOn);
  if (stoppedBy !== null) process.exit(1);
  return code;
}
