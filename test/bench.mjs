// `npm run bench:…`: builds what is not built, then runs one benchmark of `test/src/load` with the arguments behind its name.
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";

const [name] = process.argv.slice(2);
try {
  await prepare({ tests: true, report: console.log });
  await import(`./dist/load/${name}.js`);
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exitCode = 1;
}
