// `npm run long -- containers`: builds the images, and tests the system of deploy/docker-compose.yml. It needs a Docker
// engine and Compose. Words after `--` choose suites.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";
import { runJest } from "../jest-run.mjs";

let counts = { passed: 0, failed: 1 };
try {
  await prepare({ tests: true, report: console.log });
  const { prepareEngine } = await import("../dist/support/container-engine.js");
  const engine = await prepareEngine(process.env);
  if (engine === null) {
    console.error("SKIPPED, nothing was tested: no Docker engine answers. Start one; `docker info` has to work.");
    counts = { passed: 0, failed: 0 };
  } else {
    console.log(`Images: ${Object.values(engine.images).join(", ")}`);
    counts = await runJest(process.argv.slice(2), { NTS_SUITES: "containers", ...engine.images });
    await engine.stop();
  }
} catch (error) {
  console.error(error instanceof PrepareProblem ? error.message : error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
