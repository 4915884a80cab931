/** What images are built from, and how they are labelled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "@nts/local/processes/system";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("the labels of images", () => {
  it.each(["deploy/Dockerfile", "deploy/collector/Dockerfile"])(
    "in %s say what it is, its version and its commit",
    (path) => {
      const labels = [...read(path).matchAll(/org\.opencontainers\.image\.([\w.]+)=/g)].map(([, name]) => name);
      expect(labels).toEqual(expect.arrayContaining(["title", "description", "licenses", "version", "revision"]));
    },
  );
});

describe("the build context of images", () => {
  const allowed = read(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));

  it("is an allowlist, so that no secret and no data are included", () => {
    expect(
      read(".dockerignore")
        .split("\n")
        .find((line) => !line.startsWith("#")),
    ).toBe("*");
    expect(allowed.filter((path) => /env|local$|kubernetes/.test(path))).toEqual([]);
  });

  it("contains the package.json of every workspace", () => {
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    const missing = workspaces.filter(
      (folder) => !allowed.some((path) => `${folder}/package.json` === path || `${folder}/`.startsWith(`${path}/`)),
    );
    expect(missing).toEqual([]);
  });
});
