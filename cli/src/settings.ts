import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT, Problem, type Terminal } from "./terminal.js";

// Server and API key: from the environment, or from a file readable by its owner only.

export interface Settings {
  readonly url: string;
  /** Null if there is none, for operations without credentials. */
  readonly apiKey: string | null;
  /** Of the last sign-in. */
  readonly email: string | null;
}

interface Stored {
  readonly url: string;
  readonly api_key: string;
  readonly email: string;
}

/** The settings file. */
export function settingsPath({ env }: Pick<Terminal, "env">): string {
  const base = env["XDG_CONFIG_HOME"] ?? "";
  return join(base === "" ? join(env["HOME"] ?? homedir(), ".config") : base, "nts", "config.json");
}

/** @param given a URL of the command line. @throws Problem without a URL */
export async function readSettings(terminal: Terminal, given?: string): Promise<Settings> {
  const stored = await readStored(terminal);
  const url = (given ?? terminal.env["NTS_URL"] ?? stored?.url ?? "").replace(/\/+$/, "");
  if (url === "") throw new Problem(EXIT.usage, "Which server? Sign in with `nts login --url URL`, or set NTS_URL.");
  if (!URL.canParse(url)) throw new Problem(EXIT.usage, `${url} is not a URL.`);
  // A key is only sent to the server it belongs to.
  const own = stored?.url === url ? stored : null;
  return { url, apiKey: terminal.env["NTS_API_KEY"] ?? own?.api_key ?? null, email: own?.email ?? null };
}

async function readStored(terminal: Terminal): Promise<Stored | null> {
  const path = settingsPath(terminal);
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if ((found.mode & 0o077) !== 0) terminal.say(`Others can read ${path}, which contains a secret: chmod 600 it.`);
  try {
    return JSON.parse(await readFile(path, "utf8")) as Stored;
  } catch {
    throw new Problem(EXIT.usage, `${path} cannot be read as JSON; remove it and sign in again.`);
  }
}

/** Stores the result of a login; the file is never readable by others. */
export async function storeSettings(terminal: Terminal, { url, apiKey, email }: Settings): Promise<string> {
  const path = settingsPath(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const stored: Stored = { url, api_key: apiKey ?? "", email: email ?? "" };
  const written = `${path}.${process.pid}`;
  await writeFile(written, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  await chmod(written, 0o600);
  await rename(written, path);
  return path;
}

/** Deletes server and key. */
export async function forgetSettings(terminal: Terminal): Promise<void> {
  await rm(settingsPath(terminal), { force: true });
}
