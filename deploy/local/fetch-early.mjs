// Fetches the servers while the packages are being installed. The program that fetches them is TypeScript, and needs the
// bundler, which is installed first and elsewhere, as in the lock file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "deploy/local/src/servers/fetch.ts");
const BUNDLER = /^node_modules\/(?:esbuild|@esbuild\/[^/]+)$/;

/** @param run runs a command and returns its exit code. A start says itself which server is missing. */
export async function fetchEarly(run) {
  const folder = mkdtempSync(join(tmpdir(), "nts-bundler-"));
  try {
    describeBundler(folder);
    const program = join(folder, "fetch.mjs");
    const bundler = join(folder, "node_modules/esbuild/bin/esbuild");
    const options = ["--bundle", "--platform=node", "--format=esm", `--outfile=${program}`, "--log-level=error"];
    if ((await run("npm", ["ci", "--prefix", folder, "--silent", "--ignore-scripts"])) !== 0) return;
    if ((await run(process.execPath, [bundler, SOURCE, ...options])) !== 0) return;
    await run(process.execPath, [program]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a package that needs nothing but the bundler, with the checksums of our lock file. */
function describeBundler(folder) {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { esbuild } = lock.packages[""].dependencies;
  const own = { name: "bundler", version: "0.0.0", dependencies: { esbuild } };
  const locked = Object.fromEntries(Object.entries(lock.packages).filter(([path]) => BUNDLER.test(path)));
  const packages = { "": own, ...locked };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ ...own, lockfileVersion: lock.lockfileVersion, packages }),
  );
}
