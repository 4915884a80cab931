// Replaces values in JSON as `JSON.stringify` writes it. Parsing it and writing it again takes eight times as long.

/**
 * The JSON of an object with other values of some members.
 *
 * @param others the JSON of an object with these members, in the same order
 * @returns null if a member is missing, or at another place
 */
export function withValues(json: string, others: string): string | null {
  let text = "";
  let copied = 0;
  let at = 1;
  for (let other = 1; other < others.length - 1;) {
    const name = others.slice(other, textEnd(others, other));
    const end = valueEnd(others, other + name.length + 1);
    while (!json.startsWith(name, at)) {
      if (json[at] !== '"') return null;
      at = valueEnd(json, textEnd(json, at) + 1) + 1;
    }
    const valueAt = at + name.length + 1;
    text += json.slice(copied, valueAt) + others.slice(other + name.length + 1, end);
    copied = valueEnd(json, valueAt);
    at = copied + 1;
    other = end + 1;
  }
  return text + json.slice(copied);
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Where a value ends: at the comma or bracket behind it. */
function valueEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length;) {
    const unit = json.charCodeAt(at);
    if (depth === 0 && (unit === COMMA || unit === CLOSE_OBJECT)) return at;
    if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) depth += 1;
    if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) depth -= 1;
    at = unit === QUOTE ? textEnd(json, at) : at + 1;
  }
  return json.length;
}

/** Where a text ends: behind its closing quote. */
function textEnd(json: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = json.indexOf('"', at);
    if (quote === -1) return json.length;
    let escapes = 0;
    while (json.charCodeAt(quote - escapes - 1) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
