/**
 * A cache of downloaded server programs in the user's cache folder, each in a folder named by the program's SHA-256,
 * which is verified before use. Folders appear atomically by rename, also with concurrent downloads.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { StartProblem } from "../start-problem.js";
import type { ServerName } from "./catalogue.js";

/** The content of a cache folder, with relative paths. `libraries` are folders of required shared libraries. */
export interface CacheEntry {
  readonly binary: ServerName;
  readonly program: string;
  readonly libraries: readonly string[];
  /** Its source, if that matters for the selection. */
  readonly source?: string;
}

/** A runnable program; `env` is what it needs besides the usual environment. */
export interface Runnable {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const MANIFEST = "entry.json";

/** Which cached programs are acceptable; any if neither is given. */
export interface CacheFilter {
  readonly sha256?: string | undefined;
  readonly source?: string | undefined;
}

/** The cached program; null if there is none. A damaged entry is removed. */
export async function findInCache(binary: ServerName, { sha256, source }: CacheFilter = {}): Promise<Runnable | null> {
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
 * Adds a program: `fill` places it into a temporary folder and returns its path; a pinned hash must match.
 *
 * @throws StartProblem if the cache folder cannot be written
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
      if (!isThereAlready(error)) throw error; // a concurrent download was first: the hash is the same, so it is identical
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
