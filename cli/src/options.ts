import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnyEndpoint } from "@nts/shared/contract";
import { momentOf } from "./moments.js";
import { adviceFor } from "./nearest.js";
import { FORMATS, type Format, JSONPATH } from "./output.js";
import { parametersOf, referredBy } from "./resources.js";
import { EXIT, Problem } from "./terminal.js";

// Options shared by several commands.

export interface OutputOptions {
  readonly output: Format;
}

/** Whether an entity or all of them are shown as a table. */
export function isTable(output: Format): boolean {
  return output === "table" || output === "wide";
}

export function outputOption(initial: Format = "table"): Option {
  return new Option("-o, --output <format>", "output format")
    .choices([...FORMATS, JSONPATH])
    .argParser(formatIn)
    .default(initial);
}

function formatIn(text: string): string {
  if (FORMATS.some((one) => one === text) || text.startsWith(JSONPATH)) return text;
  throw new InvalidArgumentError(`Allowed choices are ${FORMATS.join(", ")}, ${JSONPATH}EXPRESSION.`);
}

export function networkOption(description: string): Option {
  return new Option("-n, --network <name>", description);
}

/** Query parameters as options: `network_id` is `--network`, which also takes a name. */
export function addQuery(command: Command, { query }: Pick<AnyEndpoint, "query">, without: readonly string[]): Command {
  for (const { name, description, choices, isList, isMoment } of parametersOf(query)) {
    if (without.includes(name)) continue;
    const about = isMoment ? `${description} Or as people write it, such as 2h, yesterday or 28 nov.` : description;
    const option = new Option(`${otherFlagOf(name)}--${flagOf(name)} <${isList ? "values..." : "value"}>`, about);
    command.addOption(choices === null || isList ? option : option.choices(choices));
  }
  return command;
}

/** The given query parameters. */
export function queryOf(
  { query }: Pick<AnyEndpoint, "query">,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = parametersOf(query).map(({ name, isMoment, choices }) => {
    const value = options[attributeOf(flagOf(name))];
    if (Array.isArray(value) && choices !== null)
      return [name, value.map((one) => chosenFrom(choices, String(one), name))] as const;
    return [name, isMoment && typeof value === "string" ? momentOf(value, name) : value] as const;
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The choice that is meant, also in other letters. @throws Problem if it is none */
function chosenFrom(choices: readonly string[], said: string, name: string): string {
  const chosen = choices.find((choice) => choice.toLowerCase() === said.toLowerCase());
  if (chosen !== undefined) return chosen;
  throw new Problem(EXIT.usage, `--${flagOf(name)}: there is no ${said}${adviceFor(said, choices)}`);
}

/** Names stand for ids, as in `--user backup`; only `-n` is a letter. */
function otherFlagOf(name: string): string {
  if (name === "network_id") return "-n, ";
  const resource = name.endsWith("_id") ? referredBy(name) : null;
  return resource === null || resource.name === "hosts" ? "" : `--${resource.singular}, `;
}

function flagOf(name: string): string {
  return name.replace(/^(network|host)_id$/, "$1").replaceAll("_", "-");
}

/** The option's name in commander. */
function attributeOf(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
