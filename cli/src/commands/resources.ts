import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { stringify } from "yaml";
import type { Plan } from "@nts/client";
import type { AnyEndpoint, MadeWebhooks } from "@nts/shared/contract";
import {
  type Body,
  type BodyForm,
  formOf,
  isBody,
  requireKnown,
  resolved,
  withCaller,
  withNetwork,
} from "../bodies.js";
import type { Connection } from "../connection.js";
import { description } from "../describe.js";
import { asDocument } from "../documents.js";
import { entitiesOf, idOf, withIds } from "../find.js";
import { addQuery, isTable, networkOption, type OutputOptions, outputOption, queryOf } from "../options.js";
import { format, sortedBy } from "../output.js";
import { withNamesIn } from "../plan-names.js";
import { planText } from "../plans.js";
import { KIND_BY_PLURAL, type Resource, RESOURCES } from "../resources.js";
import { formsOf, membersOf } from "../schemas.js";
import { withNames } from "../shown.js";
import { confirm, EXIT, Problem, type Surroundings, type Terminal } from "../terminal.js";
import { bodyOf, placedIn } from "../values.js";
import { type AddCommands, connectedFor } from "./command.js";
import { send, showPlan } from "../writes.js";

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

interface GetOptions extends OutputOptions {
  readonly sortBy?: string;
  readonly headers: boolean;
}

function addGet(verb: Command, surroundings: Surroundings, resource: Resource): void {
  const command = commandOf(verb, resource, "[names...]").addOption(outputOption());
  addQuery(command, resource.list, ["cursor", "offset"])
    .option("--sort-by <member>", "sort by a member, such as name, host or attributes.site; -name in reverse")
    .option("--no-headers", "leave out the first line of the table")
    .description(`${resource.list.summary}; one name shows everything about it`)
    .action((names: readonly string[], { output, ...options }: GetOptions, self: Command) =>
      connectedFor(self, surroundings, resource.list, async (connection) => {
        const { terminal } = surroundings;
        const query = await withIds(connection, queryOf(resource.list, { ...options }));
        const rows = await (names.length === 0
          ? rowsOf(connection, resource, query)
          : theseOf(connection, resource, names, query));
        const isDescribed = names.length === 1 && self.getOptionValueSource("output") === "default";
        if (isDescribed) {
          terminal.print(await description(connection, resource, rows[0] as Body, query["as_of"]));
          return;
        }
        const isOne = names.length === 1;
        const named = isTable(output) ? await withNames(connection, rows, output === "wide") : rows;
        const shown = options.sortBy === undefined ? named : sortedBy(named, options.sortBy);
        const isNothing = rows.length === 0 && ["table", "wide", "name", "id"].includes(output);
        const printed = output === "yaml" ? shown.map((row) => withKind(resource, row)) : shown;
        const text = isNothing ? "" : format(printed, output, { isOne, hasHeaders: options.headers });
        if (text !== "") terminal.print(text);
        // On standard error, so that scripts read an empty list.
        else if (isTable(output)) terminal.say(`No ${resource.name}.`);
        else if (rows.length > 0) terminal.say(`${output} selects nothing.`);
      }),
    );
}

/** An entity of the inventory as a document of `apply`. */
function withKind({ name }: Resource, row: unknown): unknown {
  const kind = KIND_BY_PLURAL.get(name);
  return kind === undefined || !isBody(row) ? row : asDocument(kind, row);
}

/** The entities of these names. @throws Problem */
async function theseOf(
  connection: Connection,
  resource: Resource,
  names: readonly string[],
  query: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const { get } = resource;
  const own = get?.query?.shape ?? {};
  const past = Object.fromEntries(Object.entries(query).filter(([name]) => name in own));
  const entities: unknown[] = [];
  for (const name of names) {
    const id = await idOf(connection, resource, name, query);
    entities.push(
      get === undefined
        ? await listed(connection, resource, id, query)
        : (await send(connection, get, { params: { id }, query: past })).data,
    );
  }
  return entities;
}

/** An entity that can only be read in its list. @throws Problem */
async function listed(
  connection: Connection,
  resource: Resource,
  id: string,
  query: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  for await (const entity of entitiesOf(connection, resource, query)) if (entity.id === id) return entity;
  throw new Problem(EXIT.missing, `There is no ${resource.singular} ${id}.`);
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

interface CreateOptions extends BodyOptions {
  readonly network?: string;
}

function addCreate(verb: Command, surroundings: Surroundings, resource: Resource, create: AnyEndpoint): void {
  const { terminal } = surroundings;
  const command = withBody(commandOf(verb, resource, ""), create).description(create.summary);
  const schemas = create.body === undefined ? [] : [create.body];
  if (membersOf(schemas.flatMap(formsOf))?.has("network_id") === true)
    command.addOption(networkOption("its network; optional if there is only one, or if it is on a host"));
  command.action((options: CreateOptions, self: Command) =>
    connectedFor(self, surroundings, create, async (connection) => {
      const kind = KIND_BY_PLURAL.get(resource.name);
      const given = await bodyOf(terminal, options, formOf(create, true), kind);
      const written = await withCaller(connection, schemas, given);
      const body = await resolved(
        connection,
        schemas,
        await withNetwork(connection, schemas, written, options.network),
      );
      const { data, meta } = await send(connection, create, { body, ...conditionsOf(create, options) });
      if (create.showsSecret === true && SHORT.has(options.output))
        printWithSecret(terminal, resource, data as Body, options.output);
      else
        await printWritten(terminal, connection, { data, plan: options.dryRun === true ? meta.plan : null }, options);
    }),
  );
}

/** Formats without all members. */
const SHORT: ReadonlySet<string> = new Set(["table", "wide", "name", "id"]);

/** What is only shown now goes to standard error, so that scripts read the name. */
function printWithSecret(terminal: Terminal, { list }: Resource, data: Body, output: OutputOptions["output"]): void {
  const inner = "id" in data ? undefined : Object.values(data).find((value) => isBody(value));
  const known = inner === undefined ? membersOf(formsOf(list.response)) : null;
  terminal.print(format([inner ?? data], output, { isOne: true }));
  for (const [name, value] of Object.entries(data))
    if (typeof value === "string" && known?.has(name) !== true)
      terminal.say(`The ${name}, which is not shown again: ${value}`);
}

interface Written {
  readonly data: unknown;
  /** Null unless it was a dry run. */
  readonly plan: Plan | null;
}

async function printWritten(
  terminal: Terminal,
  connection: Connection,
  { data, plan }: Written,
  { output }: OutputOptions,
): Promise<void> {
  if (plan === null) terminal.print(format([data], output, { isOne: true }));
  else terminal.print(planText(await withNamesIn(connection, plan)));
}

/** Options of commands with a body. */
function withBody(command: Command, { plans }: AnyEndpoint): Command {
  command
    .option("-f, --file <path>", "fields as YAML or JSON; - for standard input")
    .option("--set <name=value...>", "single fields; values as JSON or text, references by name")
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
  readonly user?: string;
}

/** Options to narrow a name, which is often only unique within a network or host, or for a user. */
function withPlace(command: Command, { list }: Resource): Command {
  const shape = list.query?.shape ?? {};
  if ("network_id" in shape) command.addOption(networkOption("look for it in this network"));
  if ("host_id" in shape) command.option("--host <name>", "look for it on this host");
  if ("user_id" in shape) command.option("--user <name>", "look for it among those of this user or service account");
  return command;
}

/** The ids for names within that place. @throws Problem */
async function idsIn(
  connection: Connection,
  resource: Resource,
  names: readonly string[],
  { network, host, user }: Place,
): Promise<string[]> {
  const within = await withIds(connection, {
    ...(network !== undefined && { network_id: network }),
    ...(host !== undefined && { host_id: host }),
    ...(user !== undefined && { user_id: user }),
  });
  const ids: string[] = [];
  for (const name of names) ids.push(await idOf(connection, resource, name, within));
  return ids;
}

type EditOperations = Readonly<Record<"get" | "patch", AnyEndpoint>>;

function addEdit(verb: Command, surroundings: Surroundings, resource: Resource, operations: EditOperations): void {
  const { patch } = operations;
  const command = withPlace(withBody(commandOf(verb, resource, "<names...>"), patch), resource).description(
    `${patch.summary}; without -f and --set in your editor`,
  );
  command.action((names: readonly string[], options: BodyOptions & Place, self: Command) =>
    connectedFor(self, surroundings, patch, async (connection) => {
      const isGiven = options.file !== undefined || options.set !== undefined;
      if (!isGiven && names.length > 1)
        throw new Problem(EXIT.usage, "Several are only edited with --set or -f, one in the editor.");
      for (const id of await idsIn(connection, resource, names, options))
        await editOne(surroundings, connection, { resource, id, ...operations }, options);
    }),
  );
}

interface Edited extends EditOperations {
  readonly resource: Resource;
  readonly id: string;
}

async function editOne(
  surroundings: Surroundings,
  connection: Connection,
  { resource, id, get, patch }: Edited,
  options: BodyOptions,
): Promise<void> {
  const { terminal } = surroundings;
  const { data, etag } = await send(connection, get, { params: { id } });
  const entity = data as Body;
  const form = formOf(patch, false);
  const write = async (changes: Body): Promise<void> => {
    if (Object.keys(changes).length === 0) {
      terminal.say("Nothing was changed.");
      return;
    }
    const { network_id, host_id } = entity;
    const place = { network_id, ...(resource.name === "hosts" ? { host_id: id } : { host_id }) };
    const body = await resolved(connection, form.body, changes, place);
    const conditions = { ...conditionsOf(patch, options), ...(etag !== null && { ifMatch: etag }) };
    const changed = await send(connection, patch, { params: { id }, body, ...conditions });
    const { data: saved, meta } = changed;
    await printWritten(
      terminal,
      connection,
      { data: saved, plan: options.dryRun === true ? meta.plan : null },
      options,
    );
  };
  const isGiven = options.file !== undefined || options.set !== undefined;
  if (!isGiven) return inEditor(surroundings, entity, form, write);
  // What a file repeats may be set by the server.
  const given = await bodyOf(terminal, options, { ...form, hasEchoes: true }, KIND_BY_PLURAL.get(resource.name));
  const changes = changesIn(entity, given);
  requireKnown(changes, form, () => options.file ?? "--set");
  return write(options.set === undefined ? changes : given);
}

/** The members that are not as the entity has them. */
function changesIn(entity: Body, said: Body): Body {
  return Object.fromEntries(
    Object.entries(said).filter(([member, value]) => !isDeepStrictEqual(entity[member], value)),
  );
}

/** Edits an entity in an editor. @param write gets the changes as a merge patch. @throws Problem */
async function inEditor(
  { terminal, run }: Surroundings,
  entity: Body,
  form: BodyForm,
  write: (patch: Body) => Promise<void>,
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
    const [after] = placedIn(await readFile(path, "utf8"), path);
    if (after === undefined || !isBody(after.value)) throw new Problem(EXIT.usage, `${path}: expected one object.`);
    const changes = changesIn(entity, after.value);
    requireKnown(changes, form, after.placeOf);
    await write(changes);
  } catch (error) {
    terminal.say(`Your edit is kept in ${path}; pass it with -f.`);
    throw error;
  }
  await rm(folder, { recursive: true });
}

interface DeleteOptions extends Place {
  readonly yes?: boolean;
  readonly comment?: string;
  readonly keepWebhooks?: boolean;
  readonly dryRun?: boolean;
}

function addDelete(verb: Command, surroundings: Surroundings, resource: Resource, remove: AnyEndpoint): void {
  const { terminal } = surroundings;
  const command = withPlace(commandOf(verb, resource, "<names...>"), resource);
  if ("keep_webhooks" in (remove.query?.shape ?? {}))
    command.option("--keep-webhooks", "do not pause the webhooks that were made with this access");
  command
    .description(remove.summary)
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history");
  if (remove.plans === true) command.option("--dry-run", "only show what would be deleted");
  command.action((names: readonly string[], options: DeleteOptions, self: Command) =>
    connectedFor(self, surroundings, remove, async (connection) => {
      const ids = await idsIn(connection, resource, names, options);
      const deletions = deletionsOf(resource, remove, { ids, names }, options);
      const planned: Deletion[] = [];
      for (const one of deletions) {
        const isPlanned = one.operation.plans === true;
        const ifMatch = isPlanned ? await showPlan(terminal, connection, one.operation, one.input) : null;
        planned.push(ifMatch === null ? one : { ...one, input: { ...one.input, ifMatch } });
      }
      if (options.dryRun === true) return;
      const what = names.length === 1 ? resource.singular : resource.name;
      await confirm(terminal, `Delete the ${what} ${names.join(", ")}?`, options);
      for (const one of planned) await deleteThem(terminal, connection, one, options);
    }),
  );
}

interface Deletion {
  readonly operation: AnyEndpoint;
  readonly input: Readonly<Record<string, unknown>>;
  /** What is deleted, in words. */
  readonly what: string;
}

interface Chosen {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** One for all if the API can do that: what one of them changes would make the plans of others outdated. */
function deletionsOf(
  { singular, name: plural, removeAll }: Resource,
  remove: AnyEndpoint,
  { ids, names }: Chosen,
  { keepWebhooks }: DeleteOptions,
): Deletion[] {
  if (removeAll !== undefined && ids.length > 1)
    return [{ operation: removeAll, input: { body: ids }, what: `${plural} ${names.join(", ")}` }];
  const query = keepWebhooks === true && { query: { keep_webhooks: true } };
  return ids.map((id, n) => ({
    operation: remove,
    input: { params: { id }, ...query },
    what: `${singular} ${names[n] ?? id}`,
  }));
}

async function deleteThem(
  terminal: Surroundings["terminal"],
  connection: Connection,
  { operation, input, what }: Deletion,
  { comment }: DeleteOptions,
): Promise<void> {
  const { data } = await send(connection, operation, { ...input, ...(comment !== undefined && { comment }) });
  terminal.say(`Deleted the ${what}.`);
  for (const { id: webhook, host, is_paused } of (data as MadeWebhooks | undefined)?.webhooks ?? [])
    terminal.say(`The webhook ${webhook} to ${host}, made with this access, is ${is_paused ? "paused" : "kept"}.`);
}
