import type { Command } from "commander";
import {
  blockOf,
  type Collector,
  type CollectorJob,
  createCollector,
  deleteCollector,
  listCollectorJobs,
  listCollectors,
  patchCollector,
  renewCollectorToken,
  runCollector,
} from "@nts/shared/contract";
import type { Connection } from "../connection.js";
import { entitiesOf, idOf, onlyNetwork } from "../find.js";
import { format as formatted, type Format, table } from "../output.js";
import { isTable, type OutputOptions, outputOption } from "../options.js";
import { resourceNamed } from "../resources.js";
import { type Choice, readSettings } from "../settings.js";
import { confirm, EXIT, Problem, type Surroundings, type Terminal } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

// Programs that look around in a network. What one does on its machine is `nts agent`.

interface CreateOptions {
  readonly network?: string;
  readonly cron?: string;
  readonly onRequest?: boolean;
  readonly timeZone: string;
  readonly window?: string;
  readonly targets: readonly string[];
  readonly exclude: readonly string[];
  readonly rate?: string;
}

const MOST_JOBS = 50;

export const addCollectors: AddCommands = (program, surroundings) => {
  const collectors = program.command("collectors").description("programs that look around in a network and report");
  addReading(collectors, surroundings);
  addCreation(collectors, surroundings);
  addChanges(collectors, surroundings);
};

function addReading(collectors: Command, surroundings: Surroundings): void {
  const { terminal } = surroundings;
  collectors
    .command("list", { isDefault: true })
    .description("list them")
    .addOption(outputOption())
    .action(async ({ output }: OutputOptions, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const found: Collector[] = [];
      for await (const one of entitiesOf(connection, { list: listCollectors })) found.push(one as never);
      if (isTable(output) && found.length === 0) terminal.say("No collectors; nts collectors create NAME makes one.");
      else terminal.print(isTable(output) ? rowsOf(found, output) : formatted(found, output));
    });
  collectors
    .command("jobs [collector]")
    .description("what they have done in the last seven days, newest first")
    .option("--limit <number>", "how many", String(MOST_JOBS))
    .addOption(outputOption())
    .action(async (name: string | undefined, options: OutputOptions & { limit: string }, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const limit = Number(options.limit);
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1_000))
        throw new Problem(EXIT.usage, "--limit must be from 1 to 1000.");
      const query = { limit, order_direction: "desc" as const };
      const of = name === undefined ? {} : { collector_id: await collectorOf(connection, name) };
      const { data } = await connection.client.list(listCollectorJobs, { query: { ...query, ...of } });
      if (isTable(options.output) && data.length === 0) terminal.say("No jobs in the last seven days.");
      else terminal.print(jobsText(data, options.output));
    });
}

function addCreation(collectors: Command, surroundings: Surroundings): void {
  const { terminal } = surroundings;
  collectors
    .command("create <name>")
    .description("create one, and print the command that its machine runs")
    .option("-n, --network <name>", "its network; optional if there is only one")
    .option("--cron <schedule>", "when it looks around, such as '*/15 * * * *'; every hour by default")
    .option("--on-request", "only look around on request")
    .option("--time-zone <zone>", "of the schedule and the window", Intl.DateTimeFormat().resolvedOptions().timeZone)
    .option("--window <times>", "from when to when it may look around, such as 22:00-06:00")
    .option("--targets <blocks...>", "addresses and blocks where it looks; the links of its machine by default", [])
    .option("--exclude <blocks...>", "addresses and blocks to which it sends nothing", [])
    .option("--rate <number>", "most packets a second, 500 by default")
    .action(async (name: string, options: CreateOptions, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const network_id = await onlyNetwork(connection, options.network);
      const made = await connection.client.call(createCollector, {
        body: { network_id, name, ...settingsOf(options) },
      });
      await sayCommand(terminal, self, made.token);
    });
  collectors
    .command("token <collector>")
    .description("get a new token, for a machine to enrol again or for another one")
    .action(async (name: string, _options: unknown, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const id = await collectorOf(connection, name);
      const { token } = await connection.client.call(renewCollectorToken, { params: { id } });
      await sayCommand(terminal, self, token);
    });
}

function addChanges(collectors: Command, surroundings: Surroundings): void {
  const { terminal } = surroundings;
  collectors
    .command("run <collector>")
    .description("let one look around now")
    .option("--targets <blocks...>", "addresses and blocks inside its targets; by default all of them")
    .action(async (name: string, { targets: cidrs }: { targets?: string[] }, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const id = await collectorOf(connection, name);
      const body = cidrs === undefined ? {} : { targets: { cidrs: cidrs.map((block) => blockOf(block)) } };
      const job = await connection.client.call(runCollector, { params: { id }, body });
      terminal.print(jobsText([job], "table"));
    });
  for (const [verb, is_enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const)
    collectors
      .command(`${verb} <collector>`)
      .description(is_enabled ? "accept its key again" : "refuse its key until it is enabled again")
      .action(async (name: string, _options: unknown, self: Command) => {
        const connection = await connectFor(self, surroundings);
        const id = await collectorOf(connection, name);
        const saved = await connection.client.call(patchCollector, { params: { id }, body: { is_enabled } });
        terminal.print(rowsOf([saved]));
      });
  collectors
    .command("delete <collector>")
    .description("delete one, and end its key; what it has reported remains")
    .option("-y, --yes", "do not ask for confirmation")
    .action(async (name: string, options: { yes?: boolean }, self: Command) => {
      const connection = await connectFor(self, surroundings);
      const id = await collectorOf(connection, name);
      await confirm(terminal, `Delete the collector ${name}?`, options);
      await connection.client.call(deleteCollector, { params: { id } });
      terminal.print(`Deleted ${name}.`);
    });
}

function collectorOf(connection: Connection, name: string): Promise<string> {
  return idOf(connection, resourceNamed("collectors"), name);
}

function settingsOf({ cron, onRequest, timeZone: time_zone, window, targets, exclude, rate }: CreateOptions) {
  if (cron !== undefined && onRequest === true)
    throw new Problem(EXIT.usage, "--cron and --on-request exclude each other.");
  const [from, to, ...more] = window?.split("-") ?? [];
  if (window !== undefined && (from === undefined || to === undefined || more.length > 0))
    throw new Problem(EXIT.usage, "--window must be two times, such as 22:00-06:00.");
  return {
    schedule: onRequest === true ? null : { cron: cron ?? "0 * * * *", time_zone },
    ...(from !== undefined && to !== undefined && { window: { from, to, time_zone } }),
    targets: { cidrs: targets.map((block) => blockOf(block)), exclude: exclude.map((block) => blockOf(block)) },
    ...(rate !== undefined && { packets_per_second: Number(rate) }),
  };
}

/** The token is worth a key, so it is only printed. */
async function sayCommand(terminal: Terminal, command: Command, token: string): Promise<void> {
  const { url } = await readSettings(terminal, command.optsWithGlobals<Choice>());
  terminal.say("Run this on a machine of the network within 24 hours. It works once:");
  terminal.print(`nts agent --server ${url} --token ${token}`);
}

function rowsOf(collectors: readonly Collector[], output: Format = "table"): string {
  const rows = collectors.map(({ is_enabled, state, schedule, ...one }) => ({
    ...one,
    state: is_enabled ? state : "disabled",
    schedule: schedule === null ? "on request" : `${schedule.cron} ${schedule.time_zone}`,
  }));
  return table(rows, ["name", "state", "hostname", "last_seen_at", "schedule", "next_run_at", "id"], {
    hasAges: output !== "wide",
  });
}

function jobsText(jobs: readonly CollectorJob[], output: Format): string {
  if (!isTable(output)) return formatted(jobs, output);
  const rows = jobs.map(({ state, created_at, ended_at, trigger, summary, error, import_id }) => ({
    ...{ state, created_at, ended_at: ended_at ?? "", trigger, import_id: import_id ?? "" },
    result: error?.message ?? (summary === null ? "" : resultOf(summary)),
  }));
  return table(rows, ["state", "trigger", "created_at", "ended_at", "result", "import_id"], {
    hasAges: output !== "wide",
  });
}

function resultOf({ hosts, missing }: NonNullable<CollectorJob["summary"]>): string {
  const { create, update, unchanged } = hosts;
  return `${create} new, ${update} changed, ${unchanged} unchanged, ${missing.hosts} not found`;
}
