// `tsc -b` does not remove outputs of deleted sources, and does not notice deleted outputs; both are fixed here, file by
// file, so that running processes are not disturbed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

const OUTPUT = /\.(?:d\.ts|js)(?:\.map)?$/;

const WEB = "gateway/web";
const SITE = "gateway/dist/site";
/** Folders of `dist` unknown to the compiler: the console, and the bundles. */
const BUILT_OTHERWISE = /^(?:site|bundle)[\\/]/;

/** Bundles by folder: names in `dist/bundle` and their entry points. Worker threads are in the folder of their process. */
export const BUNDLES = {
  "deploy/local": { main: "main.ts", admin: "admin.ts" },
  gateway: { main: "main.ts" },
  "services/identity": {
    main: "main.ts",
    admin: "admin/main.ts",
    "hashing-worker": "secrets/hashing-worker.ts",
    "strength-worker": "secrets/strength-worker.ts",
  },
  "services/topology": { main: "main.ts", admin: "admin/main.ts", worker: "imports/worker.ts" },
  "deploy/archive": { main: "main.ts" },
};

/** What bundling depends on beside the sources. */
const BUNDLER = ["bundle.mjs", "outputs.mjs", "sources.mjs"];

/** A hash over all compiler inputs, and whether every source has its output. */
export function describeSources(root, folders) {
  const hash = createHash("sha256").update(process.versions.node).update(folders.join());
  let complete = true;
  for (const file of ["package-lock.json", "tsconfig.base.json"]) hash.update(readFileSync(join(root, file)));
  for (const folder of folders) {
    hash
      .update(readFileSync(join(root, folder, "tsconfig.json")))
      .update(readFileSync(join(root, folder, "package.json")));
    for (const source of sourcesOf(root, folder)) {
      hash.update(source).update(readFileSync(join(root, folder, "src", source)));
      complete &&= existsSync(join(root, folder, "dist", outputOf(source)));
    }
  }
  return { hash: hash.digest("hex"), complete };
}

/** The same for the bundles. */
export function describeBundles(root) {
  const hash = createHash("sha256");
  for (const file of BUNDLER) hash.update(readFileSync(join(root, "deploy/local", file)));
  hash.update(describeSources(root, ["shared/client", "shared", ...Object.keys(BUNDLES)]).hash);
  const files = Object.entries(BUNDLES).flatMap(([folder, made]) =>
    Object.keys(made).map((name) => join(root, folder, "dist/bundle", `${name}.js`)),
  );
  return { hash: hash.digest("hex"), complete: files.every((file) => existsSync(file)) };
}

/** The same for the console, which is built from its folder and the shared code. */
export function describeSite(root) {
  const hash = createHash("sha256").update(describeSources(root, ["shared", "shared/client"]).hash);
  for (const file of filesUnder(join(root, WEB)).sort()) {
    if (!/^(?:dist|node_modules)[\\/]/.test(file)) hash.update(file).update(readFileSync(join(root, WEB, file)));
  }
  return { hash: hash.digest("hex"), complete: existsSync(join(root, SITE, "site.json")) };
}

/** Removes outputs without a source; if an output is missing, invalidates the compiler's build info. */
export function removeStaleOutputs(root, folders) {
  for (const folder of folders) {
    const dist = join(root, folder, "dist");
    const expected = new Set(sourcesOf(root, folder).map(outputOf));
    for (const file of filesUnder(dist)) {
      if (BUILT_OTHERWISE.test(file)) continue;
      if (OUTPUT.test(file) && !expected.has(file.replace(OUTPUT, ".js"))) rmSync(join(dist, file));
    }
    const isMissing = [...expected].some((file) => !existsSync(join(dist, file)));
    if (isMissing) rmSync(join(dist, ".tsbuildinfo"), { force: true });
  }
}

function sourcesOf(root, folder) {
  return filesUnder(join(root, folder, "src"))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .sort();
}

function outputOf(source) {
  return source.replace(/\.tsx?$/, ".js");
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
