import { describe, expect, it } from "@jest/globals";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { RESTORE_MARKER } from "@nts/shared/mongo/restore-marker";
import { REMEMBERED_COLLECTION } from "@nts/shared/writes/remembered";
import { NOTES } from "@nts/topology/storage/authorship";
import { INDEXES } from "@nts/topology/storage/indexes";
import { GLOBAL_COLLECTIONS } from "../support/tenant-filters.js";

const OPENED = /(?:\.collection|scopedCollection)(?:<.*?>+)?\((?:[\w.]*db, )?("?[\w.]+"?)[,)]/g;
/** What is opened by a constant. */
const NAMES: Readonly<Record<string, string>> = { NOTES, REMEMBERED_COLLECTION, RESTORE_MARKER };
/** What is opened by a variable: collections of entities, which have indexes, and those of {@link wholeOrganization}. */
const VARIABLES = new Set(["kind", "kind.collection", "name", "collection"]);
/** Of the database itself, not of organizations. */
const OF_DATABASE = ["migrations", "breaking_migrations", RESTORE_MARKER];

/** Names of all collections that the sources of topology open, and arguments that are not understood. */
async function collectionsInSources(): Promise<readonly string[]> {
  const opened: string[] = [];
  for (const folder of ["services/topology/src", "shared/src"].map((path) => join(ROOT, path))) {
    const files = await readdir(folder, { recursive: true });
    const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    for (const file of sources) opened.push(...argumentsIn(await readFile(join(folder, file), "utf8")));
  }
  const named = opened.filter((argument) => !VARIABLES.has(argument));
  const found = new Set([
    ...Object.keys(INDEXES),
    ...named.map((argument) => NAMES[argument] ?? argument.replaceAll('"', "")),
  ]);
  return [...found];
}

function argumentsIn(source: string): string[] {
  return [...source.matchAll(OPENED)].map(([, argument = ""]) => argument);
}

describe("docs/scaling.md", () => {
  it("names every collection of topology, as sharded or not", async () => {
    const page = await readFile(join(ROOT, "docs/scaling.md"), "utf8");
    const [, list = ""] = /^const collections = \[(.*?)\]/ms.exec(page) ?? [];
    const sharded = [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
    const [, table = ""] = /^\| Not sharded.*?\n\| -.*?\n(.*?)\n\n/ms.exec(page) ?? [];
    const rows = table.split("\n").map((row) => row.split("|")[1] ?? "");
    const unsharded = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
    expect(unsharded.toSorted()).toEqual([...GLOBAL_COLLECTIONS, ...OF_DATABASE].toSorted());
    expect([...sharded, ...unsharded].toSorted()).toEqual((await collectionsInSources()).toSorted());
  });
});
