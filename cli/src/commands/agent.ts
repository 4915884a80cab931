import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { initialSenses, runAgent } from "../agent/agent.js";
import { insist } from "../agent/patience.js";
import { enrol, hashOf } from "../agent/server.js";
import { openSpool } from "../agent/spool.js";
import { type Identity, lockFolder, openFolder, readIdentity, stateFolder, writeIdentity } from "../agent/state.js";
import { NO_SETTINGS, readSenseSettings, type SenseSettings } from "../discover/settings.js";
import { EXIT, Problem, type Surroundings, type Terminal } from "../terminal.js";
import { unreadable } from "../values.js";
import type { AddCommands } from "./command.js";

// `nts agent` is a collector: it looks around when the server says so, and reports. @see docs/collectors.md

interface AgentCommand {
  readonly server?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly state?: string;
  readonly settings?: string;
  readonly spool: string;
  readonly once?: boolean;
}

export const addAgent: AddCommands = (program, surroundings) => {
  program
    .command("agent")
    .description("look around in this network when the server says so, and report; see docs/collectors.md")
    .option("--server <url>", "the server; needed once, with the token")
    .option("--token <token>", "enrols this machine, once; or NTS_AGENT_TOKEN")
    .option("--token-file <file>", "a file with the token")
    .option("--state <folder>", "its key and what waits for the server; or NTS_AGENT_STATE")
    .option("--settings <file>", "settings of its senses, see docs/discovery.md; by default senses.json in its folder")
    .option("--spool <megabytes>", "most that waits on the disk while the server is away", "64")
    .option("--once", "end after one job, or if there is none")
    .action((options: AgentCommand, command: Command) => runCommand(options, command, surroundings))
    .addHelpText(
      "after",
      "\nExit codes: 0 stopped, or done with --once, 2 invalid command line or settings, 3 token or key refused, 5 another agent\n" +
        "uses the folder.",
    );
};

async function runCommand(options: AgentCommand, command: Command, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const megabytes = Number(options.spool);
  if (!(megabytes >= 1 && megabytes <= 100_000)) throw new Problem(EXIT.usage, "--spool must be from 1 to 100000.");
  const folder = stateFolder(terminal, options.state);
  await openFolder(folder);
  const settings = await settingsFor(options.settings, folder);
  const unlock = lockFolder(folder);
  try {
    const version = `nts ${command.parent?.version() ?? ""}`.trim();
    const { url } = command.optsWithGlobals<{ url?: string }>();
    const identity = await identityFor(
      { ...options, server: options.server ?? url },
      { folder, settings, version, terminal },
    );
    const spool = await openSpool(join(folder, "spool"), megabytes * 1_000_000);
    await runAgent(identity, { folder, spool, settings, version, isOnce: options.once === true }, surroundings);
  } finally {
    unlock();
  }
}

/** @throws Problem if they are not as documented */
async function settingsFor(given: string | undefined, folder: string): Promise<SenseSettings> {
  const path = given ?? join(folder, "senses.json");
  const settings = await readSenseSettings(path);
  if (typeof settings !== "string") return settings;
  if (given === undefined && settings.includes("(ENOENT)")) return NO_SETTINGS;
  throw new Problem(EXIT.usage, settings);
}

interface Enrolling {
  readonly folder: string;
  readonly settings: SenseSettings;
  readonly version: string;
  readonly terminal: Terminal;
}

/** That of the folder, or a new one by a token. @throws Problem if there is neither */
async function identityFor(
  options: Omit<AgentCommand, "server"> & { readonly server: string | undefined },
  { folder, settings, version, terminal }: Enrolling,
): Promise<Identity> {
  const { env, signal } = terminal;
  const stored = await readIdentity(folder);
  const token = await tokenIn(options, env["NTS_AGENT_TOKEN"]);
  if (stored !== null && (token === null || hashOf(token) === stored.token_sha256)) return stored;
  const server = (options.server ?? env["NTS_URL"] ?? stored?.server ?? "").replace(/\/+$/, "");
  if (token === null)
    throw new Problem(
      EXIT.usage,
      "This machine has not enrolled: --server and --token are shown by the console, on the page Collectors.",
    );
  if (!URL.canParse(server)) throw new Problem(EXIT.usage, "Which server? Say --server URL.");
  const about = { hostname: hostname(), version, senses: initialSenses(settings) };
  const identity = await insist(terminal, () => enrol(server, token, about, signal));
  await writeIdentity(folder, identity);
  terminal.say(`Enrolled. The key is in ${folder}.`);
  return identity;
}

/** The token of the options or the environment; null if there is none. @throws Problem if its file cannot be read */
async function tokenIn(
  { token, tokenFile }: Pick<AgentCommand, "token" | "tokenFile">,
  ofEnvironment: string | undefined,
): Promise<string | null> {
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  const text = token ?? (tokenFile === undefined ? ofEnvironment : await read(tokenFile)) ?? "";
  return text.trim() === "" ? null : text.trim();
}
