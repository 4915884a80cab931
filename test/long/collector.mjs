// `npm run long -- collector`: builds the image of the collector, and measures the time from an empty system to the
// picture of a lab. It needs Docker, and root for the network of the lab.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { collectInLab } = await import("../dist/lab/collector.js");
  process.exitCode = (await collectInLab()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
