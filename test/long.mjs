// `npm run long -- NAME`: one run of the long tier, with the arguments after its name; `-- all`: all of them, ending with
// the line for the changelog of a release. Random samples differ in each run unless SEED is set.
import { execFileSync } from "node:child_process";
import { ROOT, runScript } from "./checks.mjs";
import { LONG_RUNS } from "./long-runs.mjs";
import { processorSeconds } from "./processor-seconds.mjs";
import { openRunFolder } from "./run-folder.mjs";

const [name, ...args] = process.argv.slice(2);
const chosen = name === "all" ? Object.keys(LONG_RUNS) : [name];
if (!chosen.every((one) => Object.hasOwn(LONG_RUNS, one))) {
  console.error(`Name one of: all, ${Object.keys(LONG_RUNS).join(", ")}.`);
  process.exit(1);
}

const SEED = process.env.SEED ?? String(Date.now() % 2 ** 31);
console.log(`SEED=${SEED}`);
const folder = await openRunFolder();
const results = [];
for (const one of chosen) results.push(await run(one));
await folder.close({ keepLogs: false });
if (name === "all") console.table(results);
const hasPassed = results.every(({ passed }) => passed);
if (name === "all" && hasPassed) console.log(`For the changelog: ${changelogLine()}`);
process.exitCode = hasPassed ? 0 : 1;

async function run(one) {
  const { suites, script = "test/run.mjs", args: given = suites, env = {} } = LONG_RUNS[one];
  if (name === "all") console.log(`\n=== ${one}`);
  const startedAt = Date.now();
  const secondsBefore = processorSeconds();
  const code = await runScript(script, [...(given ?? []), ...args], { SEED, ...texts(env) });
  return {
    name: one,
    passed: code === 0,
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    "processor seconds": Math.round(processorSeconds() - secondsBefore),
  };
}

/** Settings of a larger scale, unless the caller has set them. */
function texts(env) {
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, process.env[key] ?? String(value)]));
}

function changelogLine() {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  return `Long tier: passed on ${new Date().toISOString().slice(0, 10)} at ${commit}.`;
}
