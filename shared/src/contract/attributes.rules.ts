/** Limits and notation of attributes. Import threads and the console use them without loading zod. */

/** Per entity. */
export const MOST_ATTRIBUTES = 50;
/** Characters of a text. */
export const ATTRIBUTE_LIMIT = 500;
/** The pattern of a key, without anchors. */
export const ATTRIBUTE_KEY = "[a-z][a-z0-9_]{0,49}";

/** The value of what {@link attributeText} writes, and people do: what looks like a truth value or a number is one. */
export function writtenAttribute(text: string): string | number | boolean {
  const bare = text.replace(/^'+/, "");
  if (bare !== text && (bare === "" || typeof writtenAttribute(bare) !== "string")) return text.slice(1);
  if (text === "true" || text === "false") return text === "true";
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A value where there are no types. A text that looks like another value, or like none, has an apostrophe before it. */
export function attributeText(value: string | number | boolean): string {
  const text = String(value);
  return typeof value === "string" && (text === "" || writtenAttribute(text) !== text) ? `'${text}` : text;
}
