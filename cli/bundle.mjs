// Bundles the program with its dependencies into one file, beside which are the units by which systemd runs it.
import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

const outfile = join(import.meta.dirname, "bundle/nts.js");

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));

await build({
  entryPoints: [join(import.meta.dirname, "dist/main.js")],
  outfile,
  ...{ bundle: true, minify: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" },
  define: { NTS_VERSION: JSON.stringify(version) },
  banner: {
    // commander is CommonJS and requires Node's modules.
    js: '#!/usr/bin/env node\nimport { createRequire as __requireOf } from "node:module";const require = __requireOf(import.meta.url);',
  },
});
chmodSync(outfile, 0o755);

const UNITS = ["systemd/nts-agent.service", "collector/nts-collect.service", "collector/nts-collect.timer"];
for (const unit of UNITS)
  copyFileSync(join(import.meta.dirname, "../deploy", unit), join(import.meta.dirname, "bundle", basename(unit)));
