/** Limits and notation of attributes. Import threads and the console use them without loading zod. */

/** Per entity. */
export const MOST_ATTRIBUTES = 50;
/** Characters of a text. */
export const ATTRIBUTE_LIMIT = 500;
/** The pattern of a key, without anchors. */
export const ATTRIBUTE_KEY = "[a-z][a-z0-9_]{0,49}";

/** A value as it is written where there are no types: what looks like a truth value or a number is one. */
export function writtenAttribute(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
