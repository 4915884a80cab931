import { describe, expect, it } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";

/** The tier of a suite is the last part of its name; each of the others belongs to one run of the long tier. */
const TIERS = ["test", "long", "containers", "consumers"];
/** Runs only inside of the suite e2e/interrupted. */
const HELD = "test/src/support/waiting.held.ts";

const { workspaces, scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  workspaces: string[];
  scripts: Record<string, string>;
};
const { LONG_RUNS } = (await import(new URL("test/long-runs.mjs", `file://${ROOT}`).href)) as {
  LONG_RUNS: Record<string, { suites?: string[]; script?: string; env?: Record<string, unknown> }>;
};

const files = workspaces
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder, "src"), { recursive: true, encoding: "utf8" }).map((file) =>
      join(folder, "src", file),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file));
const suites = files.filter((file) => {
  const source = readFileSync(join(ROOT, file), "utf8");
  return source.includes('from "@jest/globals"') && /^(?:describe|it)\b/m.test(source);
});
const tierOf = (file: string): string | undefined => /\.([a-z]+)\.tsx?$/.exec(file)?.[1];

describe("the tiers of the tests", () => {
  it("have every suite in exactly one", () => {
    expect(suites.length).toBeGreaterThan(300);
    expect(suites.filter((file) => file !== HELD && !TIERS.includes(tierOf(file) ?? ""))).toEqual([]);
  });

  it("have a long run for every suite that the short tier does not run, and for every larger scale", () => {
    const runs = Object.entries(LONG_RUNS);
    for (const tier of TIERS.slice(2)) expect(runs.map(([name]) => name)).toContain(tier);
    expect(runs.some(([, { suites: words, env }]) => words?.length === 0 && env?.["NTS_SUITES"] === "long")).toBe(true);
    const sources = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
    for (const name of new Set(runs.flatMap(([, { env = {} }]) => Object.keys(env))))
      if (name !== "NTS_SUITES") expect(sources).toContain(`process.env["${name}"]`);
  });

  it("select suites that exist", () => {
    for (const [name, { suites: words = [], env }] of Object.entries(LONG_RUNS)) {
      const tier = String(env?.["NTS_SUITES"] ?? "test");
      const chosen = suites.filter((file) => tierOf(file) === tier);
      const unknown = words.filter((word) => !chosen.some((file) => file.includes(word)));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
  });

  it("have passed before each release: its section in the changelog says when the long one did", () => {
    const [, ...sections] = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split(/^## (?=\[?\d)/m);
    const releases = sections.filter((section) => !/^\[?0\.2\.0\b/.test(section));
    const passed = /^Long tier: passed on \d{4}-\d\d-\d\d at [0-9a-f]{7,40}\.$/m;
    expect(releases.filter((section) => !passed.test(section)).map((section) => section.split("\n")[0])).toEqual([]);
  });

  it("are run by few commands", () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(15);
  });
});
