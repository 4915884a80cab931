import { createRequire } from "node:module";

// Resolved by package name, which works wherever this code is bundled to.
const manifest = createRequire(import.meta.url)("@nts/shared/package.json") as { version: string };

/** The version of the application's package. @see docs/api.md "Versions" */
export const SERVER_VERSION = manifest.version;
