// `npm run long -- python-client`: generates a Python client from the OpenAPI document, and uses it.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { workInPython } = await import("../dist/load/python-client.js");
  process.exitCode = (await workInPython()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
