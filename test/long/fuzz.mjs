// `npm run long -- fuzz`: builds what is missing, then sends random requests generated from the OpenAPI document by a
// Python program.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { fuzz } = await import("../dist/load/fuzz.js");
  process.exitCode = (await fuzz(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
