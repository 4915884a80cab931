// Writes the table of MAC address assignments: node services/topology/write-vendors.mjs <index.json of the package oui-data>
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

/** Assignments that name no maker: of unnamed ones, and of blocks that are divided further. */
const NAMELESS = /^(?:private|ieee registration authority)$/i;

const [path] = process.argv.slice(2);
const assignments = Object.entries(JSON.parse(readFileSync(path, "utf8")))
  .map(([prefix, text]) => [prefix.toLowerCase(), text.split("\n", 1)[0].trim()])
  .filter(([, name]) => name !== "" && !NAMELESS.test(name))
  .sort(([a], [b]) => (a < b ? -1 : 1));
const table = Buffer.from(assignments.map(([prefix, name]) => `${prefix} ${name}\n`).join(""));
const compressed = brotliCompressSync(table, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: table.length },
});
const text = `// From oui-data 2.1.9 (BSD-2-Clause, (c) silverwind), which lists the assignments of the IEEE. Written by write-vendors.mjs.
/** Lines such as \`001132 Synology Incorporated\`, in order; compressed by Brotli, in Base64. */
export const ASSIGNMENTS =
  "${compressed.toString("base64")}";
`;
writeFileSync(new URL("src/values/vendors.generated.ts", import.meta.url), text);
console.log(`${assignments.length} assignments, ${table.length} bytes, ${text.length} characters`);
