// `npm run test:python-client`: makes a client in Python from the OpenAPI document, and works with it.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { workInPython } = await import("./dist/load/python-client.js");
  process.exitCode = (await workInPython()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
