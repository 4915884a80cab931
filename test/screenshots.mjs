// `npm run screenshots`: builds what is missing, then takes the screenshots of the README.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  await import("./dist/browser/screenshots.js");
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
