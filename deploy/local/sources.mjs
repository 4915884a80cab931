// Bundlers read our own packages from their TypeScript sources, so that nothing has to be compiled first.
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Packages that others are built from, and their folders. */
const FOLDERS = { client: "shared/client", shared: "shared" };

/** The source file of a module such as `@nts/shared/errors`; null for other packages and for files that are no code. */
export function sourceOf(specifier) {
  const [, name = "", path = "index"] = /^@nts\/([a-z]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  const folder = FOLDERS[name];
  if (folder === undefined) return null;
  const file = join(ROOT, folder, "src", path);
  return [`${file}.ts`, join(file, "index.ts")].find((one) => existsSync(one)) ?? null;
}
