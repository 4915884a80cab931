import { hostname as ownName } from "node:os";
import type { Command } from "commander";
import { importFile, whoami } from "@nts/shared/contract";
import { ApiError } from "@nts/shared/client";
import type { Collected } from "../machine/found.js";
import { discover, type DiscoverOptions, faultIn, reasonsIn } from "../discover/discover.js";
import { portsIn } from "../discover/ports.js";
import { textOf } from "../discover/report.rules.js";
import { LOOKING_SENSES } from "../discover/senses.js";
import { NO_SETTINGS, readSenseSettings } from "../discover/settings.js";
import { readSnmpCredentials } from "../discover/snmp-credentials.js";
import { SOURCES } from "../collect/sources.js";
import type { Connection } from "../connection.js";
import { describeFailure } from "../failures.js";
import { idOf } from "../find.js";
import { bar, hostsIn } from "../progress.js";
import { resourceNamed } from "../resources.js";
import { EXIT, Problem, type Surroundings, type Terminal } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

interface CollectOptions {
  readonly network?: string;
  readonly hostname: string;
  readonly scan: readonly string[];
  readonly leases: readonly string[];
  readonly only: readonly string[];
  readonly dryRun?: boolean;
  readonly every?: string;
  readonly discover?: true | readonly string[];
  readonly exclude: readonly string[];
  readonly ports?: string;
  readonly rate: string;
  readonly snmp?: string;
  readonly settings?: string;
  readonly print?: boolean;
}

export const addCollect: AddCommands = (program, surroundings) => {
  program
    .command("collect")
    .description(
      "import what this machine knows about its network: addresses, sockets, containers, clusters, leases, neighbours",
    )
    .option("-n, --network <name>", "its network; optional if the key has only one")
    .option("--hostname <name>", "name of this machine", ownName())
    .option("--only <sources...>", Object.keys(SOURCES).join(", "), [])
    .option(
      "--discover [blocks...]",
      "also look around: in these blocks, such as 192.168.1.0/24, or in the networks of this machine",
    )
    .option("--exclude <blocks...>", "addresses and blocks that --discover sends nothing to", [])
    .option("--ports <list>", "TCP ports that --discover tries, such as 22,80,8000-8010, instead of the usual ones")
    .option("--rate <number>", "most packets a second that --discover sends", "500")
    .option("--snmp <file>", "credentials with which --discover asks machines by SNMP, see docs/discovery.md")
    .option("--settings <file>", "settings of the senses of --discover, see docs/discovery.md")
    .option("--print", "write what --discover finds to standard output, and import nothing")
    .option("--scan <blocks...>", "also scan these blocks with nmap, such as 192.168.1.0/24", [])
    .option("--leases <files...>", "lease files besides the usual ones, such as an export of a router", [])
    .option("--dry-run", "only show what would be done")
    .option("--every <seconds>", "repeat at this interval, for containers")
    .action((options: CollectOptions, command: Command) => collect(options, command, surroundings));
};

async function collect(options: CollectOptions, command: Command, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const unknown = options.only.filter((name) => !(name in SOURCES));
  if (unknown.length > 0) throw new Problem(EXIT.usage, `There is no source ${unknown.join(", ")}.`);
  const seconds = options.every === undefined ? null : Number(options.every);
  if (seconds !== null && !(seconds >= 10)) throw new Problem(EXIT.usage, "--every must be at least 10 seconds.");
  const looking = await discoverOptionsOf(options);
  if (options.print === true) return printReport(looking, surroundings);
  const connection = await connectFor(command, surroundings);
  for (;;) {
    const exitCode = await collectOnce({ ...options, discover: looking }, connection, surroundings);
    terminal.progress("");
    if (seconds === null && exitCode !== EXIT.success) throw new Problem(exitCode, "");
    if (seconds === null || (await isOver(terminal.signal, seconds * 1_000))) return;
  }
}

type Round = Omit<CollectOptions, "discover"> & { readonly discover: DiscoverOptions | null };

async function discoverOptionsOf({
  discover: blocks,
  exclude,
  ports: list,
  rate,
  snmp,
  settings: path,
}: CollectOptions): Promise<DiscoverOptions | null> {
  if (blocks === undefined) return null;
  const ports = list === undefined ? null : portsIn(list);
  if (list !== undefined && ports === null)
    throw new Problem(EXIT.usage, "--ports must be numbers and ranges, such as 22,80,8000-8010.");
  const named = blocks === true ? [] : blocks;
  const fault = faultIn({ blocks: named, excluded: exclude, packetsPerSecond: Number(rate) });
  if (fault !== null) throw new Problem(EXIT.usage, fault);
  const stored = path === undefined ? NO_SETTINGS : await readSenseSettings(path);
  const credentials = snmp === undefined ? [] : await readSnmpCredentials(snmp);
  for (const wrong of [stored, credentials]) if (typeof wrong === "string") throw new Problem(EXIT.usage, wrong);
  const settings = {
    ...(stored as typeof NO_SETTINGS),
    ...(ports !== null && { ports }),
    ...(snmp !== undefined && { snmp: credentials as typeof NO_SETTINGS.snmp }),
  };
  return {
    ...{ blocks: named, excluded: exclude, packetsPerSecond: Number(rate) },
    ...{ senses: LOOKING_SENSES, settings },
  };
}

async function printReport(looking: DiscoverOptions | null, { run, terminal }: Surroundings): Promise<void> {
  if (looking === null) throw new Problem(EXIT.usage, "--print needs --discover.");
  const { signal } = terminal;
  const found = await discover(looking, { run, signal, onProgress: (text) => terminal.progress(text) });
  terminal.progress("");
  for (const reason of reasonsIn(found)) terminal.say(reason);
  await terminal.write(Buffer.from(textOf(found.lines)));
}

/** A failing source does not stop the others. @returns the exit code of a single round */
async function collectOnce(options: Round, connection: Connection, surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  let exitCode: number = EXIT.success;
  let found = 0;
  try {
    const network_id = await networkOf(connection, options.network);
    const { only } = options;
    const sources = Object.entries(SOURCES).filter(([name]) => only.length === 0 || only.includes(name));
    for (const [at, [name, source]] of sources.entries()) {
      const place = `${bar(at, sources.length)} ${name}`;
      terminal.progress(place);
      const { files, unread } = await source(surroundings, options, (text) => terminal.progress(`${place}: ${text}`));
      for (const reason of unread) terminal.say(reason);
      found += files.length;
      const onText = (text: string): void => terminal.progress(`${place}: ${hostsIn(text)} hosts`);
      for (const file of files) {
        const ended = await post(terminal, connection, { file, network_id, options, onText });
        exitCode ||= ended;
      }
    }
  } catch (error) {
    return report(terminal, error, "");
  }
  if (found === 0) terminal.say("Nothing to collect: neither ip, ss, docker, kubectl nor a lease file was found.");
  return found === 0 ? EXIT.missing : exitCode;
}

interface Posting {
  readonly file: Collected;
  readonly network_id: string;
  readonly options: Round;
  readonly onText: (text: string) => void;
}

async function post(
  terminal: Terminal,
  { client }: Connection,
  { file, network_id, options, onText }: Posting,
): Promise<number> {
  const { source, format, text, isOwn, resource } = file;
  const query = {
    ...{ network_id, dry_run: options.dryRun === true },
    ...(isOwn && { hostname: options.hostname }),
    ...(resource !== undefined && { resource }),
  };
  try {
    const { summary } = await client.call(importFile, { params: { format }, query, body: text, onText });
    const { hosts, services } = summary;
    terminal.print(
      `${source.padEnd(11)} hosts: ${hosts.create} new, ${hosts.update} changed, ${hosts.unchanged} unchanged; services: ${services.create} new`,
    );
    return hosts.failed > 0 ? EXIT.conflict : EXIT.success;
  } catch (error) {
    return report(terminal, error, `${source}: `);
  }
}

function report(terminal: Terminal, error: unknown, before: string): number {
  const failure = describeFailure(error);
  if (failure === null) throw error;
  terminal.say(`${before}${failure.text}`);
  return error instanceof ApiError || failure.exitCode !== EXIT.success ? failure.exitCode : EXIT.failed;
}

/** The network by name, or the only one. */
async function networkOf(connection: Connection, name: string | undefined): Promise<string> {
  const networks = resourceNamed("networks");
  if (name !== undefined) return idOf(connection, networks, name);
  // A key that can only import cannot list them, but knows which it may use.
  const { network_ids: ids } = await connection.client.call(whoami, {});
  const [first, second] = ids;
  if (first === undefined)
    throw new Problem(EXIT.missing, "There are no networks yet: nts create network --set name=Home");
  if (second !== undefined) throw new Problem(EXIT.usage, "Several networks: choose one with --network.");
  return first;
}

/** Waits for the next round. @returns whether the program was asked to exit */
async function isOver(signal: AbortSignal, ms: number): Promise<boolean> {
  if (signal.aborted) return true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
  });
}
