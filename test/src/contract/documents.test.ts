/** The documents agree with the code and with each other. */
import { describe, expect, it } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { MOST_PAIRS } from "@nts/shared/contract/bindings.rules";
import { otherClientFiles } from "../documents/client.js";
import { PAGES } from "../documents/pages.js";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const filesUnder = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => pattern.test(file))
    .map((file) => join(folder, file));

const SOURCES = ["shared/src", "gateway/src", "services/identity/src", "services/topology/src", "test/src"];
const DOCUMENTS = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md"],
  ...["clients/go/README.md", "clients/python/README.md", "shared/client/README.md"],
  ...filesUnder("docs", /\.md$/),
];

describe("the generated pages", () => {
  it.each(Object.entries(PAGES))("include an up-to-date %s (npm run docs)", (path, page) => {
    expect(read(path)).toBe(page());
  });

  it("describe every setting", () => {
    const unexplained = [...PAGES["docs/configuration.md"]!().matchAll(/^\| `(\w+)`.*\| +\|$/gm)];
    expect(unexplained.map(([, name]) => name)).toEqual([]);
  });
});

describe("the clients in Python and Go", () => {
  it.each(Object.entries(otherClientFiles()))("have an up-to-date %s (npm run openapi)", (path, text) => {
    expect(read(path)).toBe(text);
  });
});

describe("the limit of listed binding conflicts", () => {
  it.each(["docs/limits.md", "docs/errors.md", "docs/api.md"])("is described by %s", (path) => {
    const about = read(path)
      .split("\n")
      .filter((line) => line.includes("`binding_conflict`"));
    expect(about.join("\n")).toContain(`${MOST_PAIRS.toLocaleString("en")} pairs`);
  });
});

describe("the documents", () => {
  it("link to existing files and headings", () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)]
        .filter(
          ([, path = "", anchor = ""]) =>
            !leadsSomewhere(path === "" ? document : join(dirname(document), path), anchor),
        )
        .map(([link]) => `${document}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it("contain what comments in the code refer to", () => {
    const sources = SOURCES.flatMap((folder) => filesUnder(folder, /\.tsx?$/));
    const broken = sources.flatMap((file) =>
      [...read(file).matchAll(/@see (docs\/\S+\.md)(?: "([^"]+)")?/g)]
        .filter(([, path = "", heading = ""]) => !leadsSomewhere(path, anchorOf(heading)))
        .map(([reference]) => `${file}: ${reference}`),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  it("have a README of at most 150 lines", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
  });
});

/** @param anchor of a heading; empty for the whole file */
function leadsSomewhere(path: string, anchor: string): boolean {
  if (!existsSync(join(ROOT, path))) return false;
  return (
    anchor === "" || [...read(path).matchAll(/^#+ (.+)$/gm)].some(([, heading = ""]) => anchorOf(heading) === anchor)
  );
}

/** The anchor that Markdown renderers generate. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}
