import { configurationPage } from "./configuration.js";
import { errorsPage } from "./errors.js";
import { importsPage } from "./formats.js";
import { limitsPage } from "./limits.js";

/** The generated pages: each with its path in the repository. */
export const PAGES: Readonly<Record<string, () => string>> = {
  "docs/errors.md": errorsPage,
  "docs/configuration.md": configurationPage,
  "docs/imports.md": importsPage,
  "docs/limits.md": limitsPage,
};
