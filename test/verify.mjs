// `npm run verify`: everything that can be checked in seconds without a server: format, lint, import rules, types, and
// the unit and contract tests.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { runChecks } from "./checks.mjs";
import { runJest } from "./jest-run.mjs";

const NEEDS_SERVERS = ["\\.integration\\.test\\.js$", "/test/dist/(integration|e2e|alone|browser|load)/"];

try {
  await prepare({ tests: true, report: console.log });
  const testing = runJest(["--testPathIgnorePatterns", ...NEEDS_SERVERS, "--silent"]);
  const [tests, checks] = await Promise.all([testing, runChecks()]);
  const failedChecks = checks.filter(([, passed]) => !passed).length;
  process.exitCode = failedChecks + tests.failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof PrepareProblem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
