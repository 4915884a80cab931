import { chmodSync, closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { chmod, mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { EXIT, Problem, type Terminal } from "../terminal.js";

// The folder of an agent: its key, which its owner alone can read, reports that the server has not taken yet, and who answered
// the last time.

const Stored = z.object({
  server: z.url(),
  collector_id: z.string(),
  key: z.string().min(1),
  /** Of the token with which it has enrolled, which may stay in the settings of a service. */
  token_sha256: z.string(),
});

/** Where and as what the agent reports. */
export type Identity = z.infer<typeof Stored>;

/** The folder, by the option, the service manager, or the system's conventions. */
export function stateFolder({ env }: Pick<Terminal, "env">, given: string | undefined): string {
  const base = env["XDG_STATE_HOME"] ?? "";
  // Users of services need not have a home, and their names may not be known to the system.
  const own = (): string => join(base === "" ? join(env["HOME"] ?? homedir(), ".local/state") : base, "nts-agent");
  return given ?? env["NTS_AGENT_STATE"] ?? env["STATE_DIRECTORY"] ?? own();
}

/** @throws Problem if it cannot be used */
export async function openFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    throw new Problem(EXIT.usage, `${folder} cannot be used: ${(error as Error).message}`);
  }
}

function keyFile(folder: string): string {
  return join(folder, "key.json");
}

/** @returns null if the agent has not enrolled yet @throws Problem if others can read the key, or it is damaged */
export async function readIdentity(folder: string): Promise<Identity | null> {
  const path = keyFile(folder);
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if ((found.mode & 0o077) !== 0)
    throw new Problem(EXIT.usage, `Others can read ${path}, which contains the key of this collector: chmod 600 it.`);
  const parsed = Stored.safeParse(jsonIn(await readFile(path, "utf8")));
  if (!parsed.success)
    throw new Problem(EXIT.usage, `${path} is damaged: remove it, and enrol again with a new token.`);
  return parsed.data;
}

/** Is there whole or not at all, also if the machine loses power. */
export async function writeIdentity(folder: string, identity: Identity): Promise<void> {
  await writeWhole(keyFile(folder), Buffer.from(`${JSON.stringify(identity, null, 2)}\n`));
}

const Expected = z.array(z.string());

/** Addresses that answered the last time; undefined if that is not known. */
export async function readExpected(folder: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(expectedFile(folder), "utf8").catch(() => "");
  const parsed = Expected.safeParse(jsonIn(text));
  return parsed.success ? new Set(parsed.data) : undefined;
}

export async function writeExpected(folder: string, addresses: ReadonlySet<string>): Promise<void> {
  await writeWhole(expectedFile(folder), Buffer.from(JSON.stringify([...addresses])));
}

function expectedFile(folder: string): string {
  return join(folder, "expected.json");
}

/** Writes a file that its owner alone can read, on the disk when this returns. */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const written = `${path}.new`;
  const file = await open(written, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(written, path);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/**
 * Keeps other agents out of the folder, until the process ends.
 *
 * @returns what gives it free @throws Problem if one is there
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  for (;;) {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      chmodSync(path, 0o600);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST")
        throw new Problem(EXIT.usage, `${folder} cannot be used: ${(error as Error).message}`);
      const holder = Number(readFileSync(path, "utf8"));
      if (isRunning(holder)) throw new Problem(EXIT.conflict, `Another nts agent (process ${holder}) uses ${folder}.`);
      rmSync(path, { force: true });
    }
  }
}

/** Whether an agent has that number. In a container, each of them has the same. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" && isNode(pid);
  }
  return isNode(pid);
}

/** The number may be that of another program by now. */
function isNode(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent");
  } catch {
    return process.platform !== "linux";
  }
}
