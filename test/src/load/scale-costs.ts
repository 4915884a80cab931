import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Measured } from "./scale-model.rules.js";

/** What `npm run bench -- scale --save` measured last. */
const FILE = fileURLToPath(new URL("../../src/load/scale-costs.json", import.meta.url));

export async function readCosts(): Promise<Measured> {
  return JSON.parse(await readFile(FILE, "utf8")) as Measured;
}

export async function saveCosts(measured: Measured): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(measured, null, 2)}\n`);
}
