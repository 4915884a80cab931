import { readFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { writeWhole } from "./state.js";

// Reports that wait for the server, on the disk: a folder for each look, and in it a file for each part that is still to be sent.
// A look is there whole or not at all, so that one that was killed in between is not sent in part.

/** A look that waits. */
export interface Waiting {
  readonly jobId: string;
  /** Numbers of parts that are still to be sent, in order; the last one is final. */
  readonly parts: readonly number[];
  /** How many it had. */
  readonly count: number;
  /** How long ago it ended, by a clock that nobody sets. */
  ageSeconds(): number;
  body(part: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The server has it. */
  sent(part: number): Promise<void>;
  /** Removes what is left. */
  drop(): Promise<void>;
}

export interface Spool {
  /** Keeps a look; older ones make room. @returns what was dropped for it, as sentences */
  keep(jobId: string, bodies: readonly Uint8Array[]): Promise<string[]>;
  /** The oldest one; null if none waits. */
  oldest(): Promise<Waiting | null>;
}

interface Kept {
  readonly job_id: string;
  readonly count: number;
  /** The start of the machine, and the seconds since then. */
  readonly boot: string;
  readonly ended_at_uptime: number;
}

const ABOUT = "look.json";
/** More than the server counts: at most the age of the job does. */
const UNKNOWN_AGE_SECONDS = 86_400;

/** @param mostBytes of all looks together */
export async function openSpool(folder: string, mostBytes: number): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // What was being written when the program was killed.
  for (const name of await readdir(folder))
    if (!/^\d{12}$/.test(name)) await rm(join(folder, name), { recursive: true });
  const names = async (): Promise<string[]> => (await readdir(folder)).filter((name) => /^\d{12}$/.test(name)).sort();

  async function makeRoom(bytes: number): Promise<string[]> {
    const dropped: string[] = [];
    const looks = await Promise.all(
      (await names()).map(async (name) => ({ name, size: await sizeOf(join(folder, name)) })),
    );
    let used = looks.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of looks) {
      if (used + bytes <= mostBytes) break;
      await rm(join(folder, name), { recursive: true });
      used -= size;
      dropped.push(
        `There is no room for more than ${mostBytes} bytes: the oldest look, of ${size} bytes, was dropped.`,
      );
    }
    return dropped;
  }

  return {
    keep: async (jobId, bodies) => {
      const size = bodies.reduce((sum, { length }) => sum + length, 0);
      if (size > mostBytes) return [`This look has ${size} bytes, more than ${mostBytes}, and was dropped.`];
      const dropped = await makeRoom(size);
      const next = String(Number((await names()).at(-1) ?? 0) + 1).padStart(12, "0");
      const written = join(folder, "new");
      await rm(written, { recursive: true, force: true });
      await mkdir(written, { mode: 0o700 });
      for (const [at, body] of bodies.entries()) await writeWhole(join(written, fileOf(at + 1)), body);
      const kept: Kept = { job_id: jobId, count: bodies.length, boot: bootId(), ended_at_uptime: uptime() };
      await writeWhole(join(written, ABOUT), Buffer.from(JSON.stringify(kept)));
      await rename(written, join(folder, next));
      await sync(folder);
      return dropped;
    },
    oldest: async () => {
      for (const name of await names()) {
        const look = await waitingIn(join(folder, name));
        if (look !== null) return look;
        // Its last part was sent, or it is damaged.
        await rm(join(folder, name), { recursive: true });
      }
      return null;
    },
  };
}

async function waitingIn(folder: string): Promise<Waiting | null> {
  const kept = await readFile(join(folder, ABOUT), "utf8")
    .then((text) => JSON.parse(text) as Kept)
    .catch(() => null);
  const parts = (await readdir(folder))
    .flatMap((name) => (name.endsWith(".ndjson.gz") ? [parseInt(name, 10)] : []))
    .sort((a, b) => a - b);
  if (kept === null || parts.length === 0) return null;
  return {
    jobId: kept.job_id,
    parts,
    count: kept.count,
    ageSeconds: () => {
      const seconds = Math.round(uptime() - kept.ended_at_uptime);
      return kept.boot === bootId() && seconds >= 0 ? Math.min(seconds, UNKNOWN_AGE_SECONDS) : UNKNOWN_AGE_SECONDS;
    },
    body: (part) => readFile(join(folder, fileOf(part))),
    sent: (part) => rm(join(folder, fileOf(part))),
    drop: () => rm(folder, { recursive: true }),
  };
}

function fileOf(part: number): string {
  return `${String(part).padStart(4, "0")}.ndjson.gz`;
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Names of a folder are on the disk when this returns. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Changes when the machine starts; empty where that is not known. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
