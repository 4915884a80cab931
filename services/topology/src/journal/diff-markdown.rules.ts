import type { Draft } from "./entries.rules.js";

// Differences as Markdown, one line each. User input is escaped.

/** The kinds of differences, in order. */
export const DIFFERENCES = ["added", "removed", "changed"] as const;

/** A changed entity; the states are JSON. */
export interface DifferentEntity {
  readonly head: Pick<Draft, "entity" | "entity_id" | "network_id" | "name"> & { readonly host_id: string | null };
  readonly before: string | null;
  readonly after: string | null;
  readonly fields: readonly string[];
}

const TITLES = { added: "Added", removed: "Removed", changed: "Changed" } as const;
/** Maximum characters of a displayed value. */
const SHOWN = 80;

/** The start of a file. */
export function headingOf(from: string, to: string): string {
  return `# Changes\n\nFrom \`${from}\` to \`${to}\`.\n`;
}

/** The heading of a kind. */
export function sectionOf(kind: (typeof DIFFERENCES)[number]): string {
  return `\n## ${TITLES[kind]}\n\n`;
}

/** The line of a difference; empty if it was changed back. */
export function lineOf({ head, before, after, fields }: DifferentEntity): string {
  const what = `- ${head.entity} **${plain(head.name)}**`;
  if (before === null || after === null) return `${what}\n`;
  if (fields.length === 0) return "";
  const [was, is] = [before, after].map((text) => JSON.parse(text) as Record<string, unknown>);
  const values = fields.map((name) => `\`${name}\` ${shown(was?.[name])} → ${shown(is?.[name])}`);
  return `${what}: ${values.join(", ")}\n`;
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  const characters = [...text];
  return plain(characters.length > SHOWN ? `${characters.slice(0, SHOWN - 1).join("")}…` : text);
}

/** Escapes Markdown and HTML. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&");
}
