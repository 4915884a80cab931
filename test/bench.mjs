// `npm run bench -- NAME`: builds what is missing, then runs a benchmark of `test/src/load` with the arguments after its
// name, and stops the processes that it started. `--help` after the name prints its usage. `npm run long` runs programs of
// the same folder that verify something.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { prepare, PrepareProblem } from "../deploy/local/prepare.mjs";
import { openRunFolder } from "./run-folder.mjs";

const LOAD = fileURLToPath(new URL("src/load/", import.meta.url));
const BENCHMARK = /^bench-(.*)\.ts$/;

const [name, ...rest] = process.argv.slice(2);
const program = [`bench-${name}`, name].find((one) => existsSync(`${LOAD}${one}.ts`));
if (program === undefined) {
  const names = readdirSync(LOAD).flatMap((file) => BENCHMARK.exec(file)?.[1] ?? []);
  console.error(`Name one of: ${names.join(", ")}.`);
  process.exit(1);
}
if (rest.includes("--help")) {
  console.log(usage());
  process.exit();
}
try {
  await prepare({ tests: true, report: console.log });
  const folder = await openRunFolder();
  try {
    await import(`./dist/load/${program}.js`);
  } finally {
    await folder.close({ keepLogs: false });
  }
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
  process.exit(1); // also if something that it had begun is still open
}

/** What the script says of itself at its beginning. */
function usage() {
  const source = readFileSync(`${LOAD}${program}.ts`, "utf8");
  const [comment] = /^\/\*\*.*?\*\//s.exec(source) ?? [""];
  return comment
    .replaceAll(/^(?:\/\*\*| \*\/?) ?/gm, "")
    .replace(/ \*\/$/, "")
    .trim();
}
