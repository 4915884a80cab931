/** What is downloaded and run when the system is installed, built and started. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "@nts/local/processes/system";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Packages that want to run a script when they are installed, and why they need not. */
const SCRIPTS_NOT_RUN = [
  "@parcel/watcher", // compiles itself only where no compiled package is published
  "@scarf/scarf", // reports the installation to a third party
  "esbuild", // replaces a small script by the program that it starts
];

describe("supply-chain: installation", () => {
  it("runs no script of a package", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { hasInstallScript?: true }>;
    };
    const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
    expect(withScript.map((path) => path.replace(/^.*node_modules\//, "")).sort()).toEqual(SCRIPTS_NOT_RUN);
    const setting = execFileSync("npm", ["config", "get", "ignore-scripts"], { cwd: ROOT, encoding: "utf8" });
    expect(setting.trim()).toBe("true");
  });
});
