import { readFile } from "node:fs/promises";
import { parse, YAMLParseError } from "yaml";
import { EXIT, Problem, type Terminal } from "./terminal.js";

/** Parses `name=value` pairs: values are JSON if they parse as such, otherwise text. @throws Problem */
export function assignments(pairs: readonly string[] = []): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, name, value] = /^([\w-]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new Problem(EXIT.usage, `${pair}: write it as name=value.`);
    made[name] = jsonOr(value);
  }
  return made;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads a file; `-` is standard input. @throws Problem */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  if (path === "-") return terminal.input();
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Problem(EXIT.usage, `${path} cannot be read: ${(error as Error).message}.`);
  }
}

/** Parses YAML, and so JSON. @param what named in the error. @throws Problem */
export function parseYaml(text: string, what: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new Problem(EXIT.usage, `${what}: ${error.message}`);
  }
}

/** The body from a file and individual members. @throws Problem */
export async function bodyOf(
  terminal: Terminal,
  { file, set }: { readonly file?: string; readonly set?: readonly string[] },
): Promise<Record<string, unknown>> {
  const given = file === undefined ? {} : parseYaml(await readText(terminal, file), file);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Problem(EXIT.usage, `${file}: expected one object.`);
  return { ...(given as Record<string, unknown>), ...assignments(set) };
}
