import { type Command, Option } from "commander";
import type { AnyEndpoint } from "@nts/shared/contract";
import { parametersOf } from "./resources.js";
import { FORMATS, type Format } from "./output.js";

// Options shared by several commands.

export interface OutputOptions {
  readonly output: Format;
}

export function outputOption(initial: Format = "table"): Option {
  return new Option("-o, --output <format>", "output format").choices(FORMATS).default(initial);
}

/** Query parameters as options: `network_id` is `--network`, which also takes a name. */
export function addQuery(command: Command, { query }: Pick<AnyEndpoint, "query">, without: readonly string[]): Command {
  for (const { name, description, choices, isList } of parametersOf(query)) {
    if (without.includes(name)) continue;
    const option = new Option(`--${flagOf(name)} <${isList ? "values..." : "value"}>`, description);
    command.addOption(choices === null || isList ? option : option.choices(choices));
  }
  return command;
}

/** The given query parameters. */
export function queryOf(
  { query }: Pick<AnyEndpoint, "query">,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = parametersOf(query).map(({ name }) => [name, options[attributeOf(flagOf(name))]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function flagOf(name: string): string {
  return name.replace(/^(network|host)_id$/, "$1").replaceAll("_", "-");
}

/** The option's name in commander. */
function attributeOf(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
