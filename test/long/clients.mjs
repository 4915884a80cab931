// `npm run long -- clients`: generates clients from the OpenAPI document by the generators of other projects, and uses each.
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";

try {
  await prepare({ tests: true, report: console.log });
  const { workWithClients } = await import("../dist/load/clients.js");
  process.exitCode = (await workWithClients(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
