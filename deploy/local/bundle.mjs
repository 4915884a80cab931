// Bundles each process with its packages: loading a few files instead of thousands of modules halves the CPU time of a
// start.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLES } from "./outputs.mjs";

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

await Promise.all(Object.entries(BUNDLES).map(([folder, files]) => bundle(join(ROOT, folder, "dist"), files)));

async function bundle(dist, files) {
  const outdir = join(dist, "bundle");
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(dist, file)])),
    outdir,
    ...{ bundle: true, splitting: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" },
    ...SMALL,
    external: [...NATIVE, ...NOT_INSTALLED],
    banner: { js: OLDER_NAMES },
  });
}
