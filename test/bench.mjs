// `npm run bench:…`: builds what is not built, then runs one benchmark of `test/src/load` with the arguments behind its name.
// However it ends, the processes that it started are stopped.
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
