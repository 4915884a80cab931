import { writeFile as saveFile } from "node:fs/promises";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import { watch } from "@nts/client/watch";
import {
  CHANGE_ACTIONS,
  type Diff,
  diffChanges,
  exportArchive,
  exportInventory,
  listChanges,
  streamChanges,
} from "@nts/shared/contract";
import { operationOf } from "@nts/shared/client";
import type { Connection } from "../connection.js";
import { withIds } from "../find.js";
import { momentOf } from "../moments.js";
import { CHANGE_COLUMNS, changeRow } from "../describe.js";
import { addQuery, isTable, type OutputOptions, outputOption, queryOf } from "../options.js";
import { format, table } from "../output.js";
import { parametersOf } from "../resources.js";
import { megabytes } from "../progress.js";
import { chunksOf, type Terminal, writeAll } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

/** Changes that are shown without `--limit`. */
const FEW_CHANGES = 20;

export const addChanges: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const command = program
    .command("changes")
    .description("the last changes, newest first, with the requests that nts revert takes back")
    .addOption(outputOption())
    .option("--no-headers", "leave out the first line of the table");
  addQuery(command, listChanges, ["order_direction", "after", "wait"]).action(
    async ({ output, ...options }: OutputOptions & { readonly headers: boolean }, self: Command) => {
      const { client, ...connection } = await connectFor(self, surroundings);
      const { limit = FEW_CHANGES, ...filters } = await withIds(connection, queryOf(listChanges, { ...options }));
      const query = { ...filters, limit, order_direction: "desc" as const };
      const { data } = await client.changes(listChanges, { query: query as never });
      if (!isTable(output)) terminal.print(format(data, output));
      else if (data.length === 0) terminal.say("No changes.");
      else
        terminal.print(
          table(data.map(changeRow), CHANGE_COLUMNS, {
            hasHeaders: options.headers,
            hasAges: output !== "wide",
          }),
        );
    },
  );
};

export const addWatch: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const command = program
    .command("watch")
    .description("show changes as they happen, until Ctrl-C; reconnects automatically")
    .addOption(
      new Option("-o, --output <format>", "a line of text, or the entry as JSON")
        .choices(["text", "json"])
        .default("text"),
    )
    .option("--events <actions>", `only these, separated by commas: ${CHANGE_ACTIONS.join(", ")}`, eventsIn)
    .option("--count <number>", "stop after this number of changes");
  addQuery(command, streamChanges, []).action(async (options: WatchOptions, self: Command) => {
    const { events, ...others } = options;
    const connection = await connectFor(self, surroundings);
    const query = await withIds(connection, queryOf(streamChanges, { ...others }));
    let left = Number(options.count ?? Infinity);
    // Without a start, only new changes.
    const isFromNow = query["after"] === undefined && query["initial"] === undefined && query["since"] === undefined;
    const asked = { ...query, ...(isFromNow && { after: await lastCursor(connection) }), signal: terminal.signal };
    for await (const event of watch(connection.transport, asked)) {
      if (event.type === "reset") terminal.say(`The state shown so far may be outdated: ${event.reason}.`);
      if (event.type !== "change" && event.type !== "state") continue;
      if (event.type === "change" && events?.has(event.change.action) === false) continue;
      const entry = event.type === "change" ? event.change : event.state;
      if (options.output === "json") terminal.print(JSON.stringify(entry));
      else if (event.type === "state") terminal.print(`there is ${entry.entity} ${entry.name}`);
      else terminal.print(lineOf(event.change));
      left -= event.type === "change" ? 1 : 0;
      if (left <= 0) return;
    }
  });
};

interface WatchOptions {
  readonly output: string;
  readonly count?: string;
  readonly events?: ReadonlySet<string>;
}

function eventsIn(text: string): ReadonlySet<string> {
  const events = text.split(",").map((one) => one.trim());
  const wrong = events.find((one) => !CHANGE_ACTIONS.some((action) => action === one));
  if (wrong !== undefined) throw new InvalidArgumentError(`Allowed are ${CHANGE_ACTIONS.join(", ")}.`);
  return new Set(events);
}

/** The cursor after all existing changes. */
async function lastCursor({ client }: Connection): Promise<string> {
  const { data, oldest = "" } = await client.changes(listChanges, { query: { order_direction: "desc", limit: 1 } });
  return data[0]?.cursor ?? oldest;
}

interface ShownChange {
  readonly at: string;
  readonly action: string;
  readonly entity: string;
  readonly name: string;
  readonly fields: readonly string[];
  readonly actor: { readonly email: string | null } | null;
  readonly comment: string | null;
}

function lineOf({ at, action, entity, name, fields, actor, comment }: ShownChange): string {
  const members = fields.length > 0 ? ` (${fields.join(", ")})` : "";
  const why = comment === null ? "" : `: ${comment}`;
  return `${at} ${action} ${entity} ${name}${members} by ${actor?.email ?? "somebody unknown"}${why}`;
}

export const addDiff: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("diff")
    .description("differences between two times")
    .requiredOption("--since <moment>", "how long ago, such as 7d or 12h, a date, or a cursor")
    .option("--to <moment>", "the end; default now")
    .option("-n, --network <name>", "only this network")
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json", "yaml"]).default("text"))
    .action(async (options: { since: string; to?: string; network?: string; output: string }, self: Command) => {
      const { since, to, network } = options;
      const connection = await connectFor(self, surroundings);
      const query = { from: momentOf(since, "since"), to: to && momentOf(to, "to"), network_id: network };
      const diff = await connection.client.call(diffChanges, { query: (await withIds(connection, query)) as never });
      if (options.output === "json") terminal.print(JSON.stringify(diff, null, 2));
      else terminal.print(options.output === "yaml" ? stringify(diff).trimEnd() : diffText(diff));
    });
};

function diffText({ added, removed, changed }: Diff): string {
  const lines = [
    ...added.map(({ entity, name }) => `+ ${entity} ${name}`),
    ...removed.map(({ entity, name }) => `- ${entity} ${name}`),
    ...changed.map(({ entity, name, fields }) => `~ ${entity} ${name}: ${fields.join(", ") || "changed and reverted"}`),
  ];
  return lines.length === 0 ? "No differences." : lines.join("\n");
}

export const addExport: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const formats = parametersOf(exportInventory.params).find(({ name }) => name === "format")?.choices ?? [];
  const command = program
    .command("export")
    .addArgument(new Argument("<format>").choices([...formats, "archive"]))
    .description(`the inventory for another tool (${formats.join(", ")}), or all of it (archive)`)
    .option("--to <file>", "output file; default standard output");
  addQuery(command, exportInventory, []).action(async (format: string, options: { to?: string }, self: Command) => {
    const connection = await connectFor(self, surroundings);
    const query = await withIds(connection, queryOf(exportInventory, { ...options }));
    const asked =
      format === "archive"
        ? ([exportArchive, {}] as const)
        : ([exportInventory, { params: { format }, query }] as const);
    const response = await connection.transport.open(operationOf(asked[0]), asked[1]);
    const isProgressApart = options.to !== undefined || !terminal.isOutputShown;
    const chunks = isProgressApart ? counted(terminal, response) : chunksOf(response);
    if (options.to !== undefined) await saveFile(options.to, chunks, { mode: 0o600 });
    else await writeAll(terminal, chunks);
  });
};

/** The chunks of a response body; shows how much was received. */
async function* counted(terminal: Terminal, response: Response): AsyncGenerator<Uint8Array, void, void> {
  let received = 0;
  for await (const bytes of chunksOf(response)) {
    terminal.progress(`${megabytes((received += bytes.length))} received`);
    yield bytes;
  }
}
