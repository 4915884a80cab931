/**
 * Records running processes, one file each, so that the next run can stop what a killed run left behind. A process is
 * only touched if both id and command line match, as ids are reused.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "./child.js";
import { commandLineOf } from "./identify.js";

/** Stopped from last to first: callers before their dependencies. */
export const TIERS = ["server", "service", "gateway"] as const;
export type Tier = (typeof TIERS)[number];

/** A process as recorded; `command` is the command line joined by blanks. */
export interface RunRecord {
  readonly name: string;
  readonly tier: Tier;
  readonly pid: number;
  readonly command: string;
}

const LEFTOVER_GRACE_MS = 10_000;
const POLL_MS = 50;

/** Writes the record synchronously, so that no running process is unrecorded. */
export function recordRun(folder: string, record: RunRecord): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(folder, record.name), JSON.stringify(record), { mode: 0o600 });
}

/** Removes the record of an ended process. */
export function forgetRun(folder: string, name: string): void {
  rmSync(fileOf(folder, name), { force: true });
}

/** Stops leftovers of a killed run in tier order, and returns their names. */
export async function stopLeftovers(folder: string): Promise<string[]> {
  const stopped: string[] = [];
  const records = readRecords(folder);
  for (const tier of TIERS.toReversed()) {
    const leftovers = records.filter((record) => record.tier === tier);
    const done = await Promise.all(leftovers.map(stopLeftover));
    stopped.push(...leftovers.filter((_, index) => done[index]).map((record) => record.name));
  }
  for (const { name } of records) forgetRun(folder, name);
  return stopped;
}

/** The record of a running process; null if it is not running. */
export async function findRunning(folder: string, name: string): Promise<RunRecord | null> {
  const record = readRecords(folder).find((one) => one.name === name);
  return record !== undefined && (await isStillThere(record)) ? record : null;
}

async function stopLeftover(record: RunRecord): Promise<boolean> {
  if (!(await isStillThere(record))) return false;
  sendSignal(record.pid, "SIGTERM");
  sendSignal(record.pid, "SIGCONT");
  if (await endsWithin(record, LEFTOVER_GRACE_MS)) return true;
  sendSignal(-record.pid, "SIGKILL");
  await endsWithin(record, LEFTOVER_GRACE_MS);
  return true;
}

async function endsWithin(record: RunRecord, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (await isStillThere(record)) {
    if (Date.now() > end) return false;
    await sleep(POLL_MS);
  }
  return true;
}

async function isStillThere(record: RunRecord): Promise<boolean> {
  return (await commandLineOf(record.pid)) === record.command;
}

function readRecords(folder: string): RunRecord[] {
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch {
    return [];
  }
  return files
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      try {
        return [JSON.parse(readFileSync(join(folder, file), "utf8")) as RunRecord];
      } catch {
        return []; // truncated by the kill: the process was not started yet, or cannot be identified
      }
    });
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}
