import { createRequire } from "node:module";

// By the name of the package, which is found from wherever this code was bundled to.
const manifest = createRequire(import.meta.url)("@nts/shared/package.json") as { version: string };

/** The version of the application, as in its package. @see docs/api.md "Versions" */
export const SERVER_VERSION = manifest.version;
