import { readFile } from "node:fs/promises";
import { LineCounter, parseAllDocuments, isMap, isScalar, type Document as YamlDocument } from "yaml";
import { type Body, type BodyForm, isBody, type Path, requireKnown } from "./bodies.js";
import { formsOf, isText, membersOf, type Schema } from "./schemas.js";
import { EXIT, Problem, type Terminal } from "./terminal.js";

/**
 * Parses `name=value` pairs: values are JSON if they parse as such, otherwise text; `name.inner=value` is a member of a
 * member. @param schemas say what can only be text, such as a name of digits. @throws Problem
 */
export function assignments(pairs: readonly string[] = [], schemas: readonly Schema[] = []): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, path, value] = /^([\w-]+(?:\.[^=.]+)*)=([\s\S]*)$/.exec(pair) ?? [];
    if (path === undefined || value === undefined) throw new Problem(EXIT.usage, `${pair}: write it as name=value.`);
    const names = path.split(".");
    const last = names.pop() ?? "";
    let inner = made;
    let forms = schemas.flatMap(formsOf);
    for (const name of names) {
      const there = inner[name];
      if (!isBody(there)) inner[name] = {};
      inner = inner[name] as Record<string, unknown>;
      forms = (membersOf(forms)?.get(name) ?? []).flatMap(formsOf);
    }
    inner[last] = isText((membersOf(forms)?.get(last) ?? []).flatMap(formsOf)) ? textOf(value) : jsonOr(value);
  }
  return made;
}

/** A text may be quoted, or null. */
function textOf(value: string): unknown {
  const read = jsonOr(value);
  return typeof read === "string" || read === null ? read : value;
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
    throw unreadable(path, error);
  }
}

/** Says why a file cannot be read, as people say it. */
export function unreadable(path: string, error: unknown): Problem {
  const { message } = error as Error;
  const [, reason = message] = /^E[A-Z]+: ([^,]+)/.exec(message) ?? [];
  return new Problem(EXIT.usage, `${path} cannot be read: ${reason}.`);
}

/** A value of a file, which knows its lines. */
export interface Placed {
  readonly value: unknown;
  /** Such as `home.yaml:12`, where a member is. */
  placeOf(path: Path): string;
}

/** The documents of YAML, and so of JSON, without empty ones. @param what the name of the file. @throws Problem */
export function placedIn(text: string, what: string): Placed[] {
  const lines = new LineCounter();
  const name = what === "-" ? "standard input" : what;
  return [...parseAllDocuments(text, { lineCounter: lines })].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Problem(EXIT.usage, `${name}: ${error.message}`);
    const value = document.toJS() as unknown;
    const placeOf = (path: Path): string => `${name}:${lines.linePos(offsetOf(document, path)).line}`;
    return value === null ? [] : [{ value, placeOf }];
  });
}

/** Where the name of a member is, or what contains it. */
function offsetOf(document: YamlDocument, path: Path): number {
  const parent: unknown = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === last) : undefined;
  const node: unknown = pair?.key ?? (path.length > 0 ? document.getIn(path, true) : document.contents);
  const range = (node as { readonly range?: readonly number[] | null } | null | undefined)?.range;
  return range?.[0] ?? 0;
}

interface Given {
  readonly file?: string;
  readonly set?: readonly string[];
}

/** The body from a file and individual members. @param kind what the file may say that it is. @throws Problem */
export async function bodyOf(terminal: Terminal, { file, set }: Given, form: BodyForm, kind?: string): Promise<Body> {
  const given = file === undefined ? {} : await bodyIn(terminal, file, form, kind);
  const members = assignments(set, form.body);
  requireKnown(members, { ...form, hasEchoes: false }, () => "--set");
  return { ...given, ...members };
}

async function bodyIn(terminal: Terminal, file: string, form: BodyForm, kind: string | undefined): Promise<Body> {
  const [placed, another] = placedIn(await readText(terminal, file), file);
  const value = placed?.value ?? {};
  if (!isBody(value) || another !== undefined) throw new Problem(EXIT.usage, `${file}: expected one object.`);
  const { kind: said, ...members } = value;
  const body = kind !== undefined && said === kind ? members : value;
  if (placed !== undefined) requireKnown(body, form, placed.placeOf);
  return body;
}
