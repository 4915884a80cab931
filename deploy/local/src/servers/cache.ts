/**
 * Fetched server programs live in the user's cache folder, each in a folder named by the SHA-256 of the program itself:
 * whoever runs it first compares the two, so that a damaged or exchanged file is noticed. A folder appears by one rename,
 * complete; processes that fetch at the same time do not see each other's halves.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { StartProblem } from "../start-problem.js";
import type { ServerName } from "./catalogue.js";

/** What a cache folder holds; the paths are relative to it. `libraries` are folders of shared libraries that it needs. */
export interface CacheEntry {
  readonly binary: ServerName;
  readonly program: string;
  readonly libraries: readonly string[];
  /** What it was taken from, where that decides whether it is wanted. */
  readonly source?: string;
}

/** A program that can be run: `env` is what it needs beyond the usual environment. */
export interface Runnable {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const MANIFEST = "entry.json";

/** Which cached programs are wanted: any when neither is given. */
export interface Wanted {
  readonly sha256?: string | undefined;
  readonly source?: string | undefined;
}

/** The cached program, or null when there is none that is wanted. A damaged entry is removed. */
export async function findInCache(binary: ServerName, { sha256, source }: Wanted = {}): Promise<Runnable | null> {
  const names = sha256 === undefined ? await readdir(cacheRoot()).catch(() => []) : [sha256];
  for (const name of names) {
    const folder = join(cacheRoot(), name);
    const entry = await readEntry(folder);
    if (entry?.binary !== binary || (source !== undefined && entry.source !== source)) continue;
    if ((await sha256Of(join(folder, entry.program)).catch(() => null)) === name) return runnable(folder, entry);
    await rm(folder, { recursive: true, force: true });
  }
  return null;
}

/**
 * Adds a program: `fill` puts it into the temporary folder it is given and answers where; a pinned hash must match.
 *
 * @throws StartProblem when the cache folder cannot be written
 */
export async function addToCache(
  fill: (folder: string) => Promise<CacheEntry>,
  pinnedSha256?: string,
): Promise<Runnable> {
  const folder = await temporaryFolder();
  try {
    const entry = await fill(folder);
    const program = join(folder, entry.program);
    await chmod(program, 0o755);
    const sha256 = await sha256Of(program);
    if (pinnedSha256 !== undefined && sha256 !== pinnedSha256) {
      throw new Error(`the fetched ${entry.binary} has SHA-256 ${sha256} instead of the expected ${pinnedSha256}`);
    }
    await writeFile(join(folder, MANIFEST), JSON.stringify(entry));
    const final = join(cacheRoot(), sha256);
    await rename(folder, final).catch((error: unknown) => {
      if (!isThereAlready(error)) throw error; // somebody else was first: theirs has the same hash, so it is the same
    });
    return runnable(final, entry);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function cacheRoot(): string {
  const base = process.env["XDG_CACHE_HOME"] ?? "";
  return join(base === "" ? join(homedir(), ".cache") : base, "network-topology-service");
}

async function temporaryFolder(): Promise<string> {
  try {
    await mkdir(cacheRoot(), { recursive: true });
    return await mkdtemp(join(cacheRoot(), ".incoming-"));
  } catch (error) {
    throw new StartProblem(
      `The cache folder ${cacheRoot()} cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set XDG_CACHE_HOME to a folder that can.`,
    );
  }
}

async function readEntry(folder: string): Promise<CacheEntry | null> {
  try {
    return JSON.parse(await readFile(join(folder, MANIFEST), "utf8")) as CacheEntry;
  } catch {
    return null;
  }
}

function runnable(folder: string, entry: CacheEntry): Runnable {
  const libraries = entry.libraries.map((path) => join(folder, path)).join(":");
  return { command: join(folder, entry.program), env: libraries === "" ? {} : { LD_LIBRARY_PATH: libraries } };
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex");
}

function isThereAlready(error: unknown): boolean {
  return ["EEXIST", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "");
}
