const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

// Readers would convert a carriage return to a line feed, and may trim space.
const SPACE = /[\t\n\r]/g;
const SPECIAL = /[&<>"']/g;

/** Not allowed in XML 1.0, not even escaped. */
const UNSPEAKABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Escapes text for XML 1.0 content and attributes. */
export function escapedXml(text: string): string {
  return text
    .replaceAll(UNSPEAKABLE, "\u{fffd}")
    .replaceAll(SPECIAL, (character) => ENTITIES[character] ?? "")
    .replaceAll(SPACE, (character) => `&#${character.charCodeAt(0)};`);
}
