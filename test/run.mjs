// `npm test`: everything, on real servers on free ports. Words after `--` (or `node test/run.mjs <pattern>`) choose suites.
// The last line is the summary: `N passed, N failed`, over the checks and all suites.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { runChecks } from "./checks.mjs";
import { runJest } from "./jest-run.mjs";
import { openRunFolder } from "./run-folder.mjs";

const patterns = process.argv.slice(2);
const counts = { passed: 0, failed: 0 };

try {
  await prepare({ tests: true, report: console.log });
  const checking = patterns.length === 0 ? runChecks({ quick: false }) : [];
  const [tests, checks] = await Promise.all([runSuites(), checking]);
  for (const [, passed] of checks) counts[passed ? "passed" : "failed"] += 1;
  counts.passed += tests.passed;
  counts.failed += tests.failed;
  if (tests.passed + tests.failed === 0) {
    console.error("No test was run: no suite matches.");
    counts.failed += 1;
  }
} catch (error) {
  counts.failed += 1;
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** MongoDB, Redis, NATS and a whole system are there once for all suites; a suite that breaks one starts its own. */
async function runSuites() {
  const folder = await openRunFolder("0 passed, 1 failed");
  let result = { passed: 0, failed: 1 };
  try {
    process.env.NTS_TEST_DIR = folder.path;
    const { startServers } = await import("./dist/support/stack.js");
    const { offerSharedStack } = await import("./dist/support/shared-stack.js");
    const servers = await startServers();
    process.env.MONGODB_URL = servers.urls.mongodb;
    const shared = await offerSharedStack();
    result = await runJest(patterns, { REDIS_URL: servers.urls.redis, SHARED_STACK_URL: shared.url });
    await shared.stop();
    await servers.stop();
  } finally {
    await folder.close({ keepLogs: result.failed > 0 });
  }
  return result;
}
