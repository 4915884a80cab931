// `npm run bench:…`: builds what is missing, then runs a benchmark of `test/src/load` with the arguments after its
// name, and stops the processes that it started. `-- --help` prints its usage.
import { readFileSync } from "node:fs";
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { openRunFolder } from "./run-folder.mjs";

const [name, ...rest] = process.argv.slice(2);
if (rest.includes("--help")) {
  console.log(usage());
  process.exit();
}
try {
  await prepare({ tests: true, report: console.log });
  const folder = await openRunFolder();
  try {
    await import(`./dist/load/${name}.js`);
  } finally {
    await folder.close({ keepLogs: false });
  }
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exit(1); // also if something that it had begun is still open
}

/** What the script says of itself at its beginning. */
function usage() {
  const source = readFileSync(new URL(`src/load/${name}.ts`, import.meta.url), "utf8");
  const [comment] = /^\/\*\*.*?\*\//s.exec(source) ?? [""];
  return comment
    .replaceAll(/^(?:\/\*\*| \*\/?) ?/gm, "")
    .replace(/ \*\/$/, "")
    .trim();
}
