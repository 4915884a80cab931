/**
 * What runs is written down, one file per process, so that a run which was killed without a chance to tidy up can be
 * tidied by the next one. A process is only ever touched when its id and its whole command line are the recorded ones:
 * an id alone may by now belong to somebody else.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "./child.js";
import { commandLineOf } from "./identify.js";

/** Stopped from the last to the first: who serves callers goes before what they depend on. */
export const TIERS = ["server", "service", "gateway"] as const;
export type Tier = (typeof TIERS)[number];

/** A process as its file describes it; `command` is the command line with its words joined by one blank. */
export interface RunRecord {
  readonly name: string;
  readonly tier: Tier;
  readonly pid: number;
  readonly command: string;
}

const LEFTOVER_GRACE_MS = 10_000;
const POLL_MS = 50;

/** Writes the record at once (synchronously): no moment in which a process runs and nobody knows. */
export function recordRun(folder: string, record: RunRecord): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(folder, record.name), JSON.stringify(record), { mode: 0o600 });
}

/** Removes the record of a process that has ended. */
export function forgetRun(folder: string, name: string): void {
  rmSync(fileOf(folder, name), { force: true });
}

/** Stops whatever of a killed run still lives, in tier order, and answers the names of what was stopped. */
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

/** The record of a process that runs now; null when it does not. */
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
        return []; // cut short by the kill: the process it would have named had not been started yet or is not ours to guess
      }
    });
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}
