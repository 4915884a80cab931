import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { StartProblem } from "../start-problem.js";
import { findInCache, type Runnable } from "./cache.js";
import type { ServerProgram } from "./catalogue.js";
import { fetchDebian } from "./fetch-debian.js";
import { fetchMongodb } from "./fetch-mongodb.js";
import { fetchWheel } from "./fetch-wheel.js";
import { MONGODB_BUILD } from "./mongodb-builds.js";
import { runTool, ToolFailure } from "./tool.js";

/** How the search reports progress, and is aborted. */
export interface FindOptions {
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** System folders with servers, often missing in a user's PATH. */
const EXTRA_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"];

/**
 * Finds a server program: on the PATH, in the cache, or by download into the cache.
 *
 * @throws StartProblem with install instructions and the URL variable if it is unavailable
 */
export async function findOrFetch(program: ServerProgram, options: FindOptions): Promise<Runnable> {
  const found =
    (await findInstalled(program, options)) ?? (await findCached(program)) ?? (await fetchOne(program, options));
  await reportUnsupported(program, found, options);
  return found;
}

async function fetchOne(program: ServerProgram, options: FindOptions): Promise<Runnable> {
  options.report(`Fetching ${program.title} (${program.binary} is not installed here) …`);
  const reasons: string[] = [];
  for (const attempt of waysToFetch(program, options.signal)) {
    try {
      return await checked(program, await attempt());
    } catch (error) {
      if (!(error instanceof Error) || error instanceof StartProblem) throw error;
      reasons.push(error.message);
    }
  }
  throw new StartProblem(missingSentence(program, reasons));
}

function waysToFetch(program: ServerProgram, signal?: AbortSignal): (() => Promise<Runnable>)[] {
  const { binary, debianPackage, brewFormula, wheel, isFromMongodb } = program;
  const ways: (() => Promise<Runnable>)[] = [];
  if (isFromMongodb === true) ways.push(() => fetchMongodb({ signal }));
  if (debianPackage !== undefined && process.platform === "linux") {
    ways.push(() => fetchDebian(binary, debianPackage, signal));
  }
  if (wheel !== undefined) ways.push(() => fetchWheel(binary, wheel, signal));
  if (brewFormula !== undefined && process.platform === "darwin") {
    ways.push(() => installWithBrew(program, brewFormula, signal));
  }
  return ways;
}

async function findInstalled(program: ServerProgram, options: FindOptions): Promise<Runnable | null> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...EXTRA_FOLDERS];
  for (const folder of new Set(folders.filter((name) => name !== ""))) {
    const candidate = { command: join(folder, program.binary), env: {} };
    if (!(await isExecutable(candidate.command))) continue;
    try {
      return await checked(program, candidate);
    } catch (error) {
      options.report(`Not using ${candidate.command}: ${(error as Error).message}.`);
    }
  }
  return null;
}

async function findCached(program: ServerProgram): Promise<Runnable | null> {
  const { binary, wheel, debianPackage, isFromMongodb } = program;
  if (isFromMongodb === true) {
    const downloaded = await findInCache(binary, { source: MONGODB_BUILD });
    if (downloaded !== null) return downloaded;
  }
  return findInCache(binary, debianPackage === undefined ? { sha256: wheel?.programSha256 } : {});
}

async function installWithBrew(program: ServerProgram, formula: string, signal?: AbortSignal): Promise<Runnable> {
  await runTool("brew", ["install", formula], { signal });
  const prefix = (await runTool("brew", ["--prefix"], { signal })).trim();
  return { command: join(prefix, "bin", program.binary), env: {} };
}

/** @throws ToolFailure if the program does not run here (for example, a library is missing) or is too old */
async function checked(program: ServerProgram, candidate: Runnable): Promise<Runnable> {
  const version = await versionOf(program, candidate);
  if (isBefore(version, program.atLeast))
    throw new ToolFailure(`version ${version.join(".")} is older than ${program.atLeast.join(".")}`);
  return candidate;
}

async function reportUnsupported(program: ServerProgram, found: Runnable, { report }: FindOptions): Promise<void> {
  const { title, supportedFrom } = program;
  if (supportedFrom === undefined) return;
  const version = await versionOf(program, found);
  if (!isBefore(version, supportedFrom)) return;
  report(
    `${title} ${version.join(".")} gets no security fixes any more: good for a trial on this machine only. Install ${title} ${supportedFrom.join(".")} or newer ${hintOf(program)}.`,
  );
}

async function versionOf(program: ServerProgram, { command, env }: Runnable): Promise<readonly [number, number]> {
  const output = await runTool(command, ["--version"], { env });
  const [, major, minor] = (program.versionPattern.exec(output) ?? []).map(Number);
  if (major === undefined || minor === undefined) throw new ToolFailure("its version cannot be read");
  return [major, minor];
}

function isBefore(
  [major, minor]: readonly [number, number],
  [thanMajor, thanMinor]: readonly [number, number],
): boolean {
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function missingSentence(program: ServerProgram, reasons: readonly string[]): string {
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  return `${program.title} is needed, but ${program.binary} is neither installed nor could it be fetched${why}. Install it ${hintOf(program)}, or set ${program.urlVariable} to a running server.`;
}

function hintOf({ installHint }: ServerProgram): string {
  return process.platform === "darwin" ? installHint.darwin : installHint.linux;
}
