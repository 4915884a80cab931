// The static checks: format, lint rules, import rules. Each is a tool in a process of its own.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projects } from "../deploy/local/prepare.mjs";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));

// Syntax trees and types live as long as the tool: a larger young generation avoids copying them repeatedly.
const FEWER_COLLECTIONS = ["--max-semi-space-size=128"];
const CRUISER_CONFIG = "test/dependency-cruiser.config.cjs";

/** Runs all checks in parallel, prints failures, and returns [name, passed] of each. */
export async function runChecks() {
  const sources = projects().map((folder) => `${folder}/src`);
  const checks = [
    ["format", "oxfmt/bin/oxfmt", ["--check"]],
    ["lint", "oxlint/bin/oxlint", ["--deny-warnings"]],
    ["import rules", "dependency-cruiser/bin/dependency-cruise.mjs", ["--config", CRUISER_CONFIG, ...sources]],
  ];
  return Promise.all(
    checks.map(async ([name, script, args]) => {
      const { code, output, seconds } = await runQuietly(join(ROOT, "node_modules", script), args);
      console.log(`${code === 0 ? "PASS" : "FAIL"} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output);
      return [name, code === 0];
    }),
  );
}

/** Runs a Node.js script in the root folder, with its output shown; returns the exit code. */
export async function runScript(script, args, env = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return endOf(child);
}

async function runQuietly(script, args) {
  const startedAt = Date.now();
  const child = spawn(process.execPath, [...FEWER_COLLECTIONS, script, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await endOf(child);
  return { code, output, seconds: Math.round((Date.now() - startedAt) / 1000) };
}

async function endOf(child) {
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (ended) => resolve(ended ?? 1));
  });
}
