// Mails as plain text and HTML, without remote content or tracking links; all external input is escaped.

/** The content of a mail. */
export interface Letter {
  readonly subject: string;
  /** Paragraphs before the link. */
  readonly opening: readonly string[];
  /** The call to action; null if there is none. */
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Paragraphs after it. */
  readonly closing: readonly string[];
  /** The sender. */
  readonly sender: string;
}

/** @param path starts with a slash */
export function linkTo(publicUrl: string, path: string): string {
  return publicUrl.replace(/\/+$/, "") + path;
}

export function senderAt(publicUrl: string): string {
  return `Network topology at ${new URL(publicUrl).host}`;
}

const LINE = 76;

/** The plain text part. */
export function textOf({ opening, action, closing, sender }: Letter): string {
  const link = action === null ? [] : [`${action.label}:\n${action.url}`];
  return `${[...opening.map(wrapped), ...link, ...closing.map(wrapped), `-- \n${sender}`].join("\n\n")}\n`;
}

/** The HTML part: for light and dark mode, from 320 pixels. */
export function htmlOf({ subject, opening, action, closing, sender }: Letter): string {
  const paragraph = (text: string): string => `<p style="margin:0 0 16px">${escaped(text)}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto">
${opening.map(paragraph).join("\n")}
${action === null ? "" : button(action)}
${closing.map(paragraph).join("\n")}
<p style="margin:24px 0 0;font-size:14px;opacity:.75">${escaped(sender)}</p>
</div>
</body>
</html>
`;
}

/** The URL is also shown as text, so that readers can see where it leads. */
function button({ label, url }: NonNullable<Letter["action"]>): string {
  const style =
    "display:inline-block;padding:12px 20px;border-radius:6px;background:#0b7285;color:#fff;text-decoration:none;font-weight:600";
  return `<p style="margin:24px 0 16px"><a href="${escaped(url)}" style="${style}">${escaped(label)}</a></p>
<p style="margin:0 0 24px;font-size:14px;opacity:.75;word-break:break-all">${escaped(url)}</p>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1] ?? "";
    if (line !== "" && line.length + 1 + word.length > LINE) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}
