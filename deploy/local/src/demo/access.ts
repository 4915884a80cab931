import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seeding } from "./past.rules.js";

/** What opens the demo organization. */
export interface DemoAccess {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** What is remembered of the demo between two starts; `complete` once all of its data has been created. */
export interface DemoRecord extends DemoAccess {
  readonly complete: boolean;
  /** The times that are still to be moved into the past, before anything else is written. */
  readonly toMove?: { readonly organizationId: string; readonly seeding: Seeding };
}

/** The record in `demo.json` of the data folder, or null when the demo was never begun. */
export function readDemoRecord(dataDir: string): DemoRecord | null {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as DemoRecord;
  } catch {
    return null;
  }
}

/** Keeps the record, readable by its owner only. */
export function writeDemoRecord(dataDir: string, record: DemoRecord): void {
  writeFileSync(fileOf(dataDir), JSON.stringify(record, null, 2), { mode: 0o600 });
}

function fileOf(dataDir: string): string {
  return join(dataDir, "demo.json");
}
