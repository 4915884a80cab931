import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seeding } from "./past.rules.js";

/** Credentials of the demo organization. */
export interface DemoAccess {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** The state of the demo between starts; `complete` once all of its data has been created. */
export interface DemoRecord extends DemoAccess {
  readonly complete: boolean;
  /** Times that must still be moved into the past, before anything else is written. */
  readonly toMove?: { readonly organizationId: string; readonly seeding: Seeding };
}

/** The state in `demo.json` of the data folder; null if the demo was never started. */
export function readDemoRecord(dataDir: string): DemoRecord | null {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as DemoRecord;
  } catch {
    return null;
  }
}

/** Saves the state, readable by its owner only. */
export function writeDemoRecord(dataDir: string, record: DemoRecord): void {
  writeFileSync(fileOf(dataDir), JSON.stringify(record, null, 2), { mode: 0o600 });
}

function fileOf(dataDir: string): string {
  return join(dataDir, "demo.json");
}
