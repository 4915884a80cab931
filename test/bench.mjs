// `npm run bench:…`: builds what is missing, then runs a benchmark of `test/src/load` with the arguments after its
// name, and stops the processes that it started.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { openRunFolder } from "./run-folder.mjs";

const [name] = process.argv.slice(2);
try {
  await prepare({ tests: true, report: console.log });
  const folder = await openRunFolder();
  process.env.NTS_TEST_DIR = folder.path;
  try {
    await import(`./dist/load/${name}.js`);
  } finally {
    await folder.close({ keepLogs: false });
  }
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exit(1); // also if something that it had begun is still open
}
