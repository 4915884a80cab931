import { isSighting, type JournalDocument } from "../journal/entries.rules.js";

// Formats changes as human-readable text, one line each. User input is escaped, so that it cannot add markup or mentions.

export type Line = Pick<JournalDocument, "action" | "entity" | "name" | "email" | "comment"> & {
  readonly fields: readonly string[];
};

/** Formatting and escaping for a chat service. */
export interface Markup {
  readonly bold: (text: string) => string;
  readonly escape: (text: string) => string;
  /** Maximum characters of all lines. */
  readonly most: number;
}

/** Maximum lines per message. */
const MOST_LINES = 20;
const MOST_FIELDS = 5;

export const SLACK: Markup = {
  bold: (text) => `*${text}*`,
  escape: (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replace(/[*_~`]/g, "\u200b$&"),
  most: 3_000,
};

export const DISCORD: Markup = {
  bold: (text) => `**${text}**`,
  escape: (text) => text.replace(/[\\*_~`|>#[\]()<@:-]/g, "\\$&"),
  most: 1_900,
};

export const PLAIN: Markup = { bold: (text) => text, escape: (text) => text, most: 3_000 };

export function textOfLines(lines: readonly Line[], markup: Markup): string {
  const shown: string[] = [];
  let left = markup.most;
  for (const line of lines.slice(0, MOST_LINES)) {
    const text = lineOf(line, markup);
    if (text.length + 1 > left) break;
    left -= text.length + 1;
    shown.push(text);
  }
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

const DONE = {
  created: "was created",
  updated: "was changed",
  deleted: "was deleted",
  missed: "was no longer found",
  returned: "is back",
} as const;

function lineOf({ action, entity, name, email, comment, fields }: Line, { bold, escape }: Markup): string {
  const some = fields.slice(0, MOST_FIELDS).map(escape).join(", ") + (fields.length > MOST_FIELDS ? ", …" : "");
  return [
    `${entity} ${bold(escape(name))} ${DONE[action]}`,
    email === undefined ? "" : isSighting(action) ? ` (import by ${escape(email)})` : ` by ${escape(email)}`,
    some === "" ? "" : ` (${some})`,
    comment === undefined || comment === "" ? "" : `: ${escape(comment)}`,
  ].join("");
}
