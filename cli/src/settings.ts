import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { adviceFor } from "./nearest.js";
import { EXIT, Problem, type Terminal } from "./terminal.js";

// Servers and API keys: from the environment, or from a file readable by its owner only. The file has a context for each
// server, one of which is used unless another one is named.

export interface Settings {
  readonly url: string;
  /** Null if there is none, for operations without credentials. */
  readonly apiKey: string | null;
  /** Of the last sign-in. */
  readonly email: string | null;
  /** Of which the key is, or in which one is stored; null if there is none. */
  readonly context: string | null;
}

/** What a command line says about the server. */
export interface Choice {
  readonly url?: string;
  readonly context?: string;
}

export interface Context {
  readonly url: string;
  readonly api_key: string;
  readonly email: string;
}

interface Stored {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

/** The settings file. */
export function settingsPath({ env }: Pick<Terminal, "env">): string {
  const base = env["XDG_CONFIG_HOME"] ?? "";
  return join(base === "" ? join(env["HOME"] ?? homedir(), ".config") : base, "nts", "config.json");
}

/**
 * The server and its key: those of a named context, or of a URL, or of the environment, or of the current context.
 *
 * @param mayBeNew the context need not exist, as it will be stored. @throws Problem without a URL
 */
export async function readSettings(
  terminal: Terminal,
  choice: Choice,
  { mayBeNew = false }: { readonly mayBeNew?: boolean } = {},
): Promise<Settings> {
  const { env } = terminal;
  const { current, contexts } = await readStored(terminal);
  const isByUrl = choice.url !== undefined || (env["NTS_URL"] ?? "") !== "";
  const named = choice.context ?? (isByUrl ? null : (env["NTS_CONTEXT"] ?? current));
  const context = named === null ? undefined : contexts[named];
  if (named !== null && context === undefined && !mayBeNew) throw noContext(named, contexts);
  const ofEnvironment = env["NTS_URL"] === "" ? undefined : env["NTS_URL"];
  const url = (choice.url ?? context?.url ?? ofEnvironment ?? "").replace(/\/+$/, "");
  if (url === "")
    throw new Problem(EXIT.usage, "Which server? Sign in with `nts login --url URL`, or set NTS_URL or NTS_CONTEXT.");
  requireUrl(url);
  // A key is only sent to the server it belongs to.
  const names = [named, current, ...Object.keys(contexts)].filter((name) => name !== null);
  const own = names.find((name) => contexts[name]?.url === url) ?? null;
  const stored = own === null || contexts[own]?.api_key === "" ? null : (contexts[own]?.api_key ?? null);
  const given = keyIn(terminal);
  const apiKey = choice.context === undefined ? (given ?? stored) : (stored ?? given);
  return { url, apiKey, email: own === null ? null : (contexts[own]?.email ?? null), context: choice.context ?? own };
}

/** The key of the environment; null if there is none. */
export function keyIn({ env }: Pick<Terminal, "env">): string | null {
  const key = env["NTS_API_KEY"] ?? "";
  return key === "" ? null : key;
}

/** @throws Problem for what no server has as its address */
export function requireUrl(text: string): void {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return;
  const meant = `http://${text}`;
  const advice =
    !text.includes("://") && URL.canParse(meant) ? `did you mean ${meant}?` : "it begins with http:// or https://.";
  throw new Problem(EXIT.usage, `${text} is not the URL of a server; ${advice}`);
}

function noContext(name: string, contexts: Stored["contexts"]): Problem {
  return new Problem(EXIT.missing, `There is no context ${name}${adviceFor(name, Object.keys(contexts))}`);
}

/** All contexts, and the name of the one in use. */
export async function readStored(terminal: Terminal): Promise<Stored> {
  const path = settingsPath(terminal);
  const found = await stat(path).catch(() => null);
  if (found === null) return { current: null, contexts: {} };
  if ((found.mode & 0o077) !== 0) terminal.say(`Others can read ${path}, which contains a secret: chmod 600 it.`);
  try {
    return storedIn(JSON.parse(await readFile(path, "utf8")));
  } catch {
    throw new Problem(EXIT.usage, `${path} cannot be read as JSON; remove it and sign in again.`);
  }
}

/** Versions up to 0.2 stored a single server. */
function storedIn(value: unknown): Stored {
  const file = value as Partial<Stored & Context>;
  if (file.contexts !== undefined) return { current: file.current ?? null, contexts: file.contexts };
  const { url = "", api_key = "", email = "" } = file;
  const name = nameFor(url);
  return { current: name, contexts: { [name]: { url, api_key, email } } };
}

function nameFor(url: string): string {
  return new URL(url).host;
}

/** Stores a server with its key in a context, which is used from now on. @returns the path of the file */
export async function storeSettings(terminal: Terminal, settings: Settings): Promise<string> {
  return storeContext(terminal, settings, { isUsed: true });
}

/** @param isUsed it is used from now on; otherwise only if no other one is. @returns the path of the file */
export async function storeContext(
  terminal: Terminal,
  { url, apiKey, email, context }: Settings,
  { isUsed }: { readonly isUsed: boolean },
): Promise<string> {
  const { current, contexts } = await readStored(terminal);
  const name = context ?? nameFor(url);
  const stored: Context = { url, api_key: apiKey ?? "", email: email ?? "" };
  const used = isUsed ? name : (current ?? name);
  return writeStored(terminal, { current: used, contexts: { ...contexts, [name]: stored } });
}

/** @throws Problem if there is no such context */
export async function chooseContext(terminal: Terminal, name: string): Promise<void> {
  const { contexts } = await readStored(terminal);
  if (contexts[name] === undefined) throw noContext(name, contexts);
  await writeStored(terminal, { current: name, contexts });
}

/** Removes a context with its key. @throws Problem if there is no such context */
export async function removeContext(terminal: Terminal, name: string): Promise<void> {
  const { current, contexts } = await readStored(terminal);
  if (contexts[name] === undefined) throw noContext(name, contexts);
  const left = Object.fromEntries(Object.entries(contexts).filter(([one]) => one !== name));
  if (Object.keys(left).length === 0) return rm(settingsPath(terminal), { force: true });
  await writeStored(terminal, { current: current === name ? null : current, contexts: left });
}

/** The file is never readable by others. */
async function writeStored(terminal: Terminal, stored: Stored): Promise<string> {
  const path = settingsPath(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${process.pid}`;
  await writeFile(written, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  await chmod(written, 0o600);
  await rename(written, path);
  return path;
}
