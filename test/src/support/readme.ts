import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";

/** The commands of a page, and the responses that it shows. */
export interface FiveMinutes {
  readonly commands: readonly string[];
  readonly responses: readonly string[];
  /** Other blocks. */
  readonly texts: readonly string[];
}

/** The first five minutes of docs/api.md. */
export function readFiveMinutes(): FiveMinutes {
  const readme = readFileSync(join(ROOT, "docs/api.md"), "utf8");
  return examplesIn(readme.slice(readme.indexOf("## The first five minutes"), readme.indexOf("## Conventions")));
}

/** All examples of a page that continues the first five minutes. */
export function readPage(path: string): FiveMinutes {
  return examplesIn(readFileSync(join(ROOT, path), "utf8"));
}

/** The code blocks of a page, in order. */
export function readBlocks(path: string): Block[] {
  return blocksIn(readFileSync(join(ROOT, path), "utf8"));
}

/** The code blocks below each heading of the second level. */
export function readSections(path: string): Readonly<Record<string, readonly Block[]>> {
  const [, ...parts] = readFileSync(join(ROOT, path), "utf8").split(/^## /m);
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf("\n")), blocksIn(part)]));
}

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocksIn(part: string): Block[] {
  const blocks = part.matchAll(/```(sh|bash|json|text|ts|python|go|yaml)\n([\s\S]*?)```/g);
  return [...blocks].map(([, kind = "", text = ""]) => ({ kind, text: text.trim() }));
}

function examplesIn(part: string): FiveMinutes {
  const blocks = blocksIn(part);
  const textsOf = (language: string): string[] =>
    blocks.filter(({ kind }) => kind === language).map(({ text }) => text);
  return { commands: textsOf("sh"), responses: textsOf("json"), texts: textsOf("text") };
}

/** Runs the commands against a gateway. @returns the responses in the order of the page */
export async function runFiveMinutes(
  { commands }: Pick<FiveMinutes, "commands">,
  url: string,
  folder: string,
): Promise<string[]> {
  const script = commands.join("\necho\n").replace("http://localhost:8080", url);
  const { stdout } = await execa("bash", ["-euo", "pipefail", "-c", script], { cwd: folder });
  return stdout.split("\n").filter((line) => line.startsWith("{"));
}

/** A response without what differs from run to run. */
export function shapeOf(json: string): unknown {
  const varying = /"[0-9a-f]{8}-[0-9a-f-]{27}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"|"\\"plan-[\w-]{22}\\""|"[\w-]{22}"/g;
  return JSON.parse(json.replaceAll(varying, '"…"')) as unknown;
}
