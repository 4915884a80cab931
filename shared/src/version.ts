import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

/** The version of the application, as in its package. @see docs/api.md "Versions" */
export const SERVER_VERSION = manifest.version;
