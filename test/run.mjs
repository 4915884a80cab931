// `npm test`: all checks and the suites of the short tier on real servers; words after `--` choose suites. Time-sensitive
// suites in `test/src/alone` run last, one at a time. The last line is the summary: `N passed, N failed`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { ROOT, runChecks } from "./checks.mjs";
import { runJest } from "./jest-run.mjs";
import { startReport } from "./processor-seconds.mjs";
import { folderInMemory, openRunFolder } from "./run-folder.mjs";

// Relative to the repository: its own path may contain the name of a suite.
const within = ROOT.replaceAll(/[^\w/]/g, "\\$&");
const patterns = process.argv.slice(2).map((pattern) => `${within}.*(?:${pattern})`);
// Hashing the passwords of all accounts would take a tenth of the time of a run.
process.env.NTS_CHEAP_PASSWORDS = "yes";
const tier = process.env.NTS_SUITES ?? "test";
const counts = { passed: 0, failed: 0 };
const count = ({ passed, failed }) => {
  counts.passed += passed;
  counts.failed += failed;
};

try {
  await prepare({ tests: true, report: console.log });
  await withServers(async (env, report) => {
    count(await runTogether(env, report));
    // Afterwards, because suites beside them take longer than the checks.
    const checks = patterns.length === 0 ? await runChecks() : [];
    for (const [, passed] of checks) count({ passed: passed ? 1 : 0, failed: passed ? 0 : 1 });
    report.part("checks");
    if (readdirSync(join(ROOT, "test/dist/alone")).some((file) => file.endsWith(`.${tier}.js`))) {
      count(await runSuites(env, ["--maxWorkers=1", "--testMatch", `**/test/dist/alone/*.${tier}.js`]));
      report.part("suites alone");
    }
  });
  if (counts.passed + counts.failed === 0) {
    console.error("No test was run: no suite matches. Those of the long tier run by: npm run long -- suites WORD");
    counts.failed += 1;
  }
} catch (error) {
  counts.failed += 1;
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** Provides MongoDB, Redis and NATS shared by all suites; a suite that breaks one starts its own. */
async function withServers(run) {
  const folder = await openRunFolder({ within: folderInMemory(), lastWords: "0 passed, 1 failed" });
  const report = startReport(folder.path);
  let isOver = false;
  try {
    const { startServers } = await import("./dist/support/stack.js");
    const servers = await startServers();
    process.env.MONGODB_URL = servers.urls.mongodb;
    await run({ REDIS_URL: servers.urls.redis }, report);
    await servers.stop();
    report.part("shared servers");
    report.write();
    isOver = true;
  } finally {
    await folder.close({ keepLogs: !isOver || counts.failed > 0 });
  }
}

/** The suites that run in parallel; they share a whole system. */
async function runTogether(env, report) {
  const { offerSharedStack } = await import("./dist/support/shared-stack.js");
  const shared = await offerSharedStack();
  try {
    return await runSuites({ ...env, SHARED_STACK_URL: shared.url }, ["--testPathIgnorePatterns", "/test/dist/alone/"]);
  } finally {
    report.part("suites");
    await shared.stop();
    report.part("shared system");
  }
}

function runSuites(env, options) {
  return runJest([...patterns, "--passWithNoTests", ...options], env);
}
