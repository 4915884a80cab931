// `npm run long -- lab`: machines found by leases, sockets, scan, neighbours and `docker inspect` must become one host each.
// Network namespaces without Docker or with `--namespaces`; `--record` updates the unit test's files.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "../../deploy/local/prepare.mjs";
import { ROOT } from "../checks.mjs";
import { runJest } from "../jest-run.mjs";

const RECORDED = join(ROOT, "services/topology/src/imports/testing/corpus/lab");

let counts = { passed: 0, failed: 1 };
const files = await mkdtemp(join(tmpdir(), "nts-lab-files-"));
try {
  await prepare({ tests: true, report: console.log });
  const { record, seeLab, whatIsMissing } = await import("../dist/lab/lab.js");
  const missing = await whatIsMissing();
  if (missing !== null) {
    console.error(`SKIPPED, nothing was tested: ${missing}.`);
    counts = { passed: 0, failed: 0 };
  } else {
    await seeLab(files, process.argv);
    if (process.argv.includes("--record")) await record(files, RECORDED);
    counts = await runJest(["imports/lab.test"], { LAB_FILES: files });
  }
} catch (error) {
  console.error(error);
} finally {
  await rm(files, { recursive: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
