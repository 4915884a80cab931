/** `nts` as users have it: packed, and installed apart from the repository. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";

/** Installs it in an empty folder. @returns the path of the program */
export async function installCli(folder: string): Promise<string> {
  writeFileSync(join(folder, "package.json"), "{}");
  await execa("npm", ["pack", "--ignore-scripts=false", "--workspace", "cli", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  await execa("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder });
  return join(folder, "node_modules/.bin/nts");
}
