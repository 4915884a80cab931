// Entry point of `npm run admin`, which runs before anything is compiled.
import { prepare, PrepareProblem } from "./prepare.mjs";

try {
  await prepare({ tests: false, report: console.error });
  const { admin } = await import("./dist/bundle/admin.js");
  process.exitCode = await admin({ args: process.argv.slice(2), env: process.env });
} catch (error) {
  if (!(error instanceof PrepareProblem || error.name === "StartProblem")) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
