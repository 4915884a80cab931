// Builds the program as a single executable for this system, with the Node.js that runs this script inside.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// Not in the folder that is packed.
const FOLDER = join(import.meta.dirname, "executable");
const SCRIPT = join(FOLDER, "nts.cjs");
const BLOB = join(FOLDER, "nts.blob");
const SETTINGS = join(FOLDER, "executable.json");
const EXECUTABLE = join(FOLDER, process.platform === "win32" ? "nts.exe" : "nts");
/** By which Node.js finds out that it has a script inside. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));

mkdirSync(FOLDER, { recursive: true });
await build({
  entryPoints: [join(import.meta.dirname, "dist/main.js")],
  outfile: SCRIPT,
  ...{ bundle: true, minify: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" },
  define: { NTS_VERSION: JSON.stringify(version) },
});
writeFileSync(SETTINGS, JSON.stringify({ main: SCRIPT, output: BLOB, disableExperimentalSEAWarning: true }));
execFileSync(process.execPath, ["--experimental-sea-config", SETTINGS], { stdio: "pipe" });
copyFileSync(process.execPath, EXECUTABLE);
// Symbols are a tenth of it; without binutils they stay.
if (process.platform === "linux") spawnSync("strip", ["--strip-all", EXECUTABLE]);
const postject = join(createRequire(import.meta.url).resolve("postject"), "../cli.js");
const segment = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
execFileSync(process.execPath, [postject, EXECUTABLE, "NODE_SEA_BLOB", BLOB, "--sentinel-fuse", FUSE, ...segment], {
  stdio: "pipe",
});
for (const path of [SCRIPT, BLOB, SETTINGS]) rmSync(path);

const said = execFileSync(EXECUTABLE, ["--version"], { encoding: "utf8" }).trim();
if (said !== version) throw new Error(`${EXECUTABLE} says ${said} instead of ${version}`);
const megabytes = (bytes) => Math.round(bytes / 1e6);
const compressed = gzipSync(readFileSync(EXECUTABLE)).length;
console.log(`${EXECUTABLE}: ${megabytes(statSync(EXECUTABLE).size)} MB, ${megabytes(compressed)} MB compressed`);
