import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { stringify } from "yaml";
import type { AnyEndpoint, MadeWebhooks } from "@nts/shared/contract";
import type { Connection } from "../connection.js";
import { entitiesOf, idOf, withIds, withNames } from "../find.js";
import { addQuery, type OutputOptions, outputOption, queryOf } from "../options.js";
import { format } from "../output.js";
import { planText } from "../plans.js";
import { type Resource, RESOURCES } from "../resources.js";
import { confirm, EXIT, Problem, type Surroundings } from "../terminal.js";
import { bodyOf, parseYaml } from "../values.js";
import { type AddCommands, connectedFor } from "./command.js";
import { send, showPlan } from "./writes.js";

// `get`, `create`, `edit` and `delete`, with a subcommand for every applicable resource of the contract.

interface BodyOptions extends OutputOptions {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
  readonly comment?: string;
}

export const addResources: AddCommands = (program, surroundings) => {
  const verbs = {
    get: program.command("get").description("list entities, or show one"),
    create: program.command("create").description("create an entity"),
    edit: program.command("edit").description("change fields of an entity"),
    delete: program.command("delete").description("delete an entity with its children"),
  };
  for (const resource of RESOURCES) {
    addGet(verbs.get, surroundings, resource);
    if (resource.create !== undefined) addCreate(verbs.create, surroundings, resource, resource.create);
    if (resource.patch !== undefined && resource.get !== undefined)
      addEdit(verbs.edit, surroundings, resource, { get: resource.get, patch: resource.patch });
    if (resource.remove !== undefined) addDelete(verbs.delete, surroundings, resource, resource.remove);
  }
};

/** A subcommand of a resource, with its singular as alias. */
function commandOf(verb: Command, { name, singular }: Resource, rest: string): Command {
  return verb.command(`${name} ${rest}`.trim()).alias(singular).description(name);
}

function addGet(verb: Command, surroundings: Surroundings, resource: Resource): void {
  const command = commandOf(verb, resource, "[name]").addOption(outputOption());
  addQuery(command, resource.list, ["cursor", "offset"])
    .description(resource.list.summary)
    .action((name: string | undefined, { output, ...options }: OutputOptions, self: Command) =>
      connectedFor(self, surroundings, resource.list, async (connection) => {
        const query = await withIds(connection, queryOf(resource.list, options));
        const rows = await (name === undefined
          ? rowsOf(connection, resource, query)
          : oneOf(connection, resource, name, query));
        const shown = output === "table" ? await withNames(connection, rows) : rows;
        const isNothing = rows.length === 0 && ["table", "name"].includes(output);
        if (!isNothing) surroundings.terminal.print(format(shown, output, name !== undefined));
        // On standard error, so that scripts read an empty list.
        else if (output === "table") surroundings.terminal.say(`No ${resource.name}.`);
      }),
    );
}

/** The entity of that name, as a list. @throws Problem */
async function oneOf(
  connection: Connection,
  resource: Resource,
  name: string,
  query: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const id = await idOf(connection, resource, name, query);
  if (resource.get === undefined) throw new Problem(EXIT.usage, `Single ${resource.name} cannot be read.`);
  return [(await send(connection, resource.get, { params: { id } })).data];
}

/** All rows, up to `--limit`. */
async function rowsOf(
  connection: Connection,
  resource: Resource,
  { limit, ...query }: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const asked = limit === undefined ? 0 : Number(limit);
  if (!Number.isInteger(asked) || asked < 0) throw new Problem(EXIT.usage, "--limit must be a number.");
  const most = asked === 0 ? Infinity : asked;
  const rows: unknown[] = [];
  for await (const row of entitiesOf(connection, resource, { ...query, ...(most <= 1_000 && { limit: most }) })) {
    rows.push(row);
    if (rows.length >= most) break;
  }
  return rows;
}

function addCreate(verb: Command, surroundings: Surroundings, resource: Resource, create: AnyEndpoint): void {
  const { terminal } = surroundings;
  const command = withBody(commandOf(verb, resource, ""), create).description(create.summary);
  command.action((options: BodyOptions, self: Command) =>
    connectedFor(self, surroundings, create, async (connection) => {
      const body = await withIds(connection, await bodyOf(terminal, options));
      const { data, meta } = await send(connection, create, { body, ...conditionsOf(create, options) });
      terminal.print(options.dryRun === true ? planText(meta.plan) : format([data], options.output, true));
    }),
  );
}

/** Options of commands with a body. */
function withBody(command: Command, { plans }: AnyEndpoint): Command {
  command
    .option("-f, --file <path>", "fields as YAML or JSON; - for standard input")
    .option("--set <name=value...>", "single fields; values as JSON or text")
    .option("--comment <text>", "reason, stored in the change history")
    .addOption(outputOption("yaml"));
  return plans === true ? command.option("--dry-run", "only show what would change") : command;
}

function conditionsOf({ plans }: AnyEndpoint, { dryRun, comment }: BodyOptions) {
  return {
    ...(plans === true && dryRun === true && { query: { dry_run: true } }),
    ...(comment !== undefined && { comment }),
  };
}

interface Place {
  readonly network?: string;
  readonly host?: string;
}

/** Options to narrow a name, which is often only unique within a network or host. */
function withPlace(command: Command, { list }: Resource): Command {
  for (const kind of ["network", "host"])
    if (`${kind}_id` in (list.query?.shape ?? {})) command.option(`--${kind} <name>`, `look for it in this ${kind}`);
  return command;
}

/** The id for a name within that place. @throws Problem */
async function idIn(connection: Connection, resource: Resource, name: string, { network, host }: Place) {
  return idOf(connection, resource, name, await withIds(connection, { network_id: network, host_id: host }));
}

type EditOperations = Readonly<Record<"get" | "patch", AnyEndpoint>>;

function addEdit(verb: Command, surroundings: Surroundings, resource: Resource, { get, patch }: EditOperations): void {
  const { terminal } = surroundings;
  const command = withPlace(withBody(commandOf(verb, resource, "<name>"), patch), resource).description(
    `${patch.summary}; without -f and --set in your editor`,
  );
  command.action((name: string, options: BodyOptions & Place, self: Command) =>
    connectedFor(self, surroundings, patch, async (connection) => {
      const id = await idIn(connection, resource, name, options);
      const { data, etag } = await send(connection, get, { params: { id } });
      const write = async (given: Readonly<Record<string, unknown>>): Promise<void> => {
        const body = await withIds(connection, given);
        if (Object.keys(body).length === 0) throw new Problem(EXIT.success, "Nothing was changed.");
        const conditions = { ...conditionsOf(patch, options), ...(etag !== null && { ifMatch: etag }) };
        const changed = await send(connection, patch, { params: { id }, body, ...conditions });
        const plan = (): string => planText(changed.meta.plan);
        terminal.print(options.dryRun === true ? plan() : format([changed.data], options.output, true));
      };
      const isGiven = options.file !== undefined || options.set !== undefined;
      await (isGiven ? write(await bodyOf(terminal, options)) : inEditor(surroundings, data as object, write));
    }),
  );
}

/** Edits an entity in an editor. @param write gets the changes as a merge patch. @throws Problem */
async function inEditor(
  { terminal, run }: Surroundings,
  entity: object,
  write: (patch: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  const editor = terminal.env["VISUAL"] ?? terminal.env["EDITOR"];
  if (!terminal.isInteractive || editor === undefined)
    throw new Problem(EXIT.usage, "No editor is configured: use --set or -f, or set EDITOR.");
  const folder = await mkdtemp(join(tmpdir(), "nts-"));
  const path = join(folder, "entity.yaml");
  await writeFile(path, stringify(entity), { mode: 0o600 });
  try {
    const [program = "", ...args] = editor.split(" ");
    if ((await run(program, [...args, path], { hasTerminal: true })) === null)
      throw new Problem(EXIT.refused, `${editor} failed; nothing was changed.`);
    const after = parseYaml(await readFile(path, "utf8"), path) as Record<string, unknown>;
    const before = entity as Readonly<Record<string, unknown>>;
    const isNew = ([member, value]: [string, unknown]): boolean =>
      JSON.stringify(before[member]) !== JSON.stringify(value);
    await write(Object.fromEntries(Object.entries(after).filter(isNew)));
  } catch (error) {
    const isLost = !(error instanceof Problem && error.exitCode === EXIT.success);
    if (isLost) terminal.say(`Your edit is kept in ${path}; pass it with -f.`);
    else await rm(folder, { recursive: true });
    throw error;
  }
  await rm(folder, { recursive: true });
}

interface DeleteOptions extends Place {
  readonly yes?: boolean;
  readonly comment?: string;
  readonly keepWebhooks?: boolean;
}

function addDelete(verb: Command, surroundings: Surroundings, resource: Resource, remove: AnyEndpoint): void {
  const { terminal } = surroundings;
  const command = withPlace(commandOf(verb, resource, "<name>"), resource);
  if ("keep_webhooks" in (remove.query?.shape ?? {}))
    command.option("--keep-webhooks", "do not pause the webhooks that were made with this access");
  command
    .description(remove.summary)
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history")
    .action((name: string, options: DeleteOptions, self: Command) =>
      connectedFor(self, surroundings, remove, async (connection) => {
        const id = await idIn(connection, resource, name, options);
        const etag = remove.plans === true ? await showPlan(terminal, connection, remove, { params: { id } }) : null;
        await confirm(terminal, `Delete the ${resource.singular} ${name}?`, options);
        const { comment, keepWebhooks } = options;
        const conditions = { ...(etag !== null && { ifMatch: etag }), ...(comment !== undefined && { comment }) };
        const query = keepWebhooks === true && { query: { keep_webhooks: true } };
        const { data } = await send(connection, remove, { params: { id }, ...query, ...conditions });
        terminal.say(`Deleted the ${resource.singular} ${name}.`);
        for (const { id: webhook, host, is_paused } of (data as MadeWebhooks | undefined)?.webhooks ?? [])
          terminal.say(
            `The webhook ${webhook} to ${host}, made with this access, is ${is_paused ? "paused" : "kept"}.`,
          );
      }),
    );
}
