// Bundles each process with its packages, from its TypeScript sources: loading a few files instead of thousands of
// modules halves the CPU time of a start. Words choose folders of processes; all by default. Types are checked by `tsc`.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLES } from "./outputs.mjs";
import { sourceOf } from "./sources.mjs";

const ROOT = join(import.meta.dirname, "../..");

/** Native modules. */
const NATIVE = ["@node-rs/argon2"];

/** Optional packages of the MongoDB driver that are not installed. */
const NOT_INSTALLED = [
  "@aws-sdk/credential-providers",
  "@mongodb-js/zstd",
  "aws4",
  "gcp-metadata",
  "kerberos",
  "mongodb-client-encryption",
  "snappy",
  "socks",
];

// CommonJS packages need `require` and `__dirname`, which ES modules lack.
const OLDER_NAMES = [
  'import { createRequire as __requireOf } from "node:module";',
  "const require = __requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");

/**
 * V8 keeps sources in memory, with two bytes per character if a single one is not in Latin-1, as in a license text. Names
 * and short lines keep stack traces legible.
 */
const SMALL = { minifyWhitespace: true, minifySyntax: true, lineLimit: 200, legalComments: "external" };

const OWN_SOURCES = {
  name: "own-sources",
  setup({ onResolve }) {
    onResolve({ filter: /^@nts\// }, ({ path }) => {
      const source = sourceOf(path);
      return source === null ? undefined : { path: source };
    });
  },
};

const words = process.argv.slice(2);
// An image is built without the sources of the local start.
const folders = Object.keys(BUNDLES).filter((folder) => existsSync(join(ROOT, folder, "src")));
await Promise.all(folders.filter((folder) => words.length === 0 || words.includes(folder)).map(bundle));

async function bundle(folder) {
  const outdir = join(ROOT, folder, "dist/bundle");
  const entries = Object.entries(BUNDLES[folder]);
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries(entries.map(([name, file]) => [name, join(ROOT, folder, "src", file)])),
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    ...SMALL,
    plugins: [OWN_SOURCES],
    external: [...NATIVE, ...NOT_INSTALLED],
    banner: { js: OLDER_NAMES },
  });
}
