import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { prepare } from "../deploy/local/prepare.mjs";
import { ROOT } from "./checks.mjs";

/**
 * Runs a program of `test/src/lab` with the bundle of `nts`, and prints how many of its laboratories passed.
 *
 * @param load yields what the machine lacks, or null, and the run itself
 */
export async function runInLaboratories(load) {
  let counts = { passed: 0, failed: 1 };
  try {
    await prepare({ tests: true, report: console.log });
    execFileSync(process.execPath, [join(ROOT, "cli/bundle.mjs")], { cwd: join(ROOT, "cli"), stdio: "inherit" });
    const { whatIsMissing, run } = await load();
    const missing = await whatIsMissing();
    if (missing === null) counts = await run();
    else {
      console.error(`SKIPPED, nothing was tested: ${missing}.`);
      counts = { passed: 0, failed: 0 };
    }
  } catch (error) {
    console.error(error);
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
