// `npm run long -- sdk`: installs, checks and uses the clients in Python and Go.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { tryClients } = await import("../dist/load/sdk.js");
  process.exitCode = (await tryClients(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
