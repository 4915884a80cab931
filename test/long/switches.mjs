// `npm run long -- switches`: whether links are exactly the cables of switched networks of Linux bridges, lldpd and snmpd.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { prepare } from "../../deploy/local/prepare.mjs";
import { ROOT } from "../checks.mjs";

let counts = { passed: 0, failed: 1 };
try {
  await prepare({ tests: true, report: console.log });
  execFileSync(process.execPath, [join(ROOT, "cli/bundle.mjs")], { cwd: join(ROOT, "cli"), stdio: "inherit" });
  const { drawSwitched, whatIsMissing } = await import("../dist/lab/switched.js");
  const missing = await whatIsMissing();
  if (missing === null) counts = await drawSwitched();
  else {
    console.error(`SKIPPED, nothing was tested: ${missing}.`);
    counts = { passed: 0, failed: 0 };
  }
} catch (error) {
  console.error(error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
