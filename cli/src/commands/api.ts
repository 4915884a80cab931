import type { Command } from "commander";
import { operationOf } from "@nts/shared/client";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";
import { type Connection, withSession } from "../connection.js";
import { parametersOf } from "../resources.js";
import { readSettings } from "../settings.js";
import { chunksOf, EXIT, Problem, type Terminal, writeAll } from "../terminal.js";
import { assignments, bodyOf, readText } from "../values.js";
import { type AddCommands, connectFor } from "./command.js";

interface ApiOptions {
  readonly url?: string;
  readonly param?: readonly string[];
  readonly query?: readonly string[];
  readonly file?: string;
  readonly set?: readonly string[];
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly comment?: string;
  readonly session?: boolean;
}

/** `nts api`: calls any operation of the contract. */
export const addApi: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("api [operation]")
    .description("call any operation by its name; without one, lists them all")
    .option("--param <name=value...>", "what fills the placeholders of its path")
    .option("--query <name=value...>", "parameters; a list in JSON")
    .option("-f, --file <path>", "the body: YAML or JSON, or the file of an upload; - is standard input")
    .option("--set <name=value...>", "members of the body")
    .option("--if-match <etag>", "only while it is what it was")
    .option("--idempotency-key <key>", "the name of a write; made up unless given")
    .option("--comment <text>", "why, for the journal")
    .option("--session", "sign in for it, for what API keys may not do")
    .addHelpText("after", "\nSecrets belong into a file, not on the command line, where others can read them.")
    .action(async (name: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<ApiOptions>();
      if (name === undefined) {
        for (const operation of OPERATIONS) terminal.print(`${operation.operationId.padEnd(32)}${operation.summary}`);
        return;
      }
      const operation = OPERATIONS.find(({ operationId }) => operationId === name);
      if (operation === undefined)
        throw new Problem(EXIT.usage, `There is no operation ${name}; \`nts api\` lists all of them.`);
      const use = (connection: Connection): Promise<void> => callOne(terminal, connection, operation, options);
      if (options.session === true) await withSession(terminal, await readSettings(terminal, options.url), use);
      else await use(await connectFor(command, surroundings));
    });
};

async function callOne(
  terminal: Terminal,
  { transport }: Connection,
  operation: AnyEndpoint,
  options: ApiOptions,
): Promise<void> {
  const input = {
    params: checked(operation.params, assignments(options.param), "--param"),
    query: checked(operation.query, assignments(options.query), "--query"),
    ...(operation.body !== undefined && { body: await inputOf(terminal, operation, options) }),
    ...(options.ifMatch !== undefined && { ifMatch: options.ifMatch }),
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.comment !== undefined && { comment: options.comment }),
    signal: terminal.signal,
  };
  const answered = await transport.open(operationOf(operation), input);
  const isJson = answered.headers.get("content-type")?.startsWith("application/json") === true;
  if (isJson && operation.isFile !== true) {
    terminal.print(JSON.stringify(await answered.json(), null, 2));
    return;
  }
  await writeAll(terminal, chunksOf(answered));
}

/** @throws Problem for an unknown or missing parameter */
function checked(
  schema: AnyEndpoint["query"],
  given: Readonly<Record<string, unknown>>,
  option: string,
): Readonly<Record<string, unknown>> {
  const known = parametersOf(schema);
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  const missing = known.filter(({ name, isRequired }) => isRequired && given[name] === undefined);
  if (unknown.length > 0)
    throw new Problem(
      EXIT.usage,
      `${option}: ${unknown.join(", ")}: there is ${names.join(", ") || "nothing to say"}.`,
    );
  if (missing.length > 0)
    throw new Problem(EXIT.usage, missing.map(({ name }) => `${option} ${name}=… is needed.`).join("\n"));
  return given;
}

async function inputOf(terminal: Terminal, { upload }: AnyEndpoint, options: ApiOptions): Promise<unknown> {
  if (upload !== undefined) return readText(terminal, options.file ?? "-");
  const { file } = options;
  // Some operations take a list as body.
  const text = file === undefined ? null : await readText(terminal, file);
  if (text?.trimStart().startsWith("[") === true) return JSON.parse(text) as unknown;
  return bodyOf({ ...terminal, input: () => Promise.resolve(text ?? "") }, { ...options, ...(text !== null && { file: "-" }) }); // prettier-ignore
}
