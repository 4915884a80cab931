// Runs jest and counts: a suite that fails to load counts as one failed test.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, runScript } from "./checks.mjs";

/** Returns how many tests passed and failed; `args` are jest's own (patterns, options). */
export async function runJest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "nts-jest-"));
  const outputFile = join(folder, "result.json");
  try {
    const script = join(ROOT, "node_modules", "jest", "bin", "jest.js");
    const options = ["--config", "test/jest.config.js", "--json", "--outputFile", outputFile];
    const NODE_OPTIONS = [
      process.env.NODE_OPTIONS ?? "",
      // jest needs a flag of Node.js for ES modules; the warning that comes with it is irrelevant
      "--experimental-vm-modules --disable-warning=ExperimentalWarning",
    ].join(" ");
    const code = await runScript(script, [...options, ...args], { ...env, NODE_OPTIONS });
    return countsOf(outputFile, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(file, code) {
  try {
    const result = JSON.parse(readFileSync(file, "utf8"));
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 }; // jest ended before it could count
  }
}
