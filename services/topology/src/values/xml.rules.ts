const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

// A carriage return would be read as a line feed, and space at the ends be lost to some readers.
const SPACE = /[\t\n\r]/g;
const SPECIAL = /[&<>"']/g;

/** XML 1.0 has no place for these, not even escaped. */
const UNSPEAKABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text as it stands in XML 1.0, in an element or an attribute. */
export function escapedXml(text: string): string {
  return text
    .replaceAll(UNSPEAKABLE, "\u{fffd}")
    .replaceAll(SPECIAL, (character) => ENTITIES[character] ?? "")
    .replaceAll(SPACE, (character) => `&#${character.charCodeAt(0)};`);
}
