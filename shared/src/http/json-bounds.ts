// The cost of JSON depends on its values, not its bytes: 1 MiB holds half a million empty objects. So depth and number
// of values are counted in the raw bytes before parsing.

export const DEPTH_LIMIT = 32;

/** Realistic bodies of 1 MiB stay below it: their values are identifiers, names and addresses. */
export const VALUE_LIMIT = 50_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Why a JSON text is too expensive to parse; null if it is not. Exact for valid JSON, except that empty lists and
 * objects count twice; for invalid JSON an upper bound.
 *
 * @param json in UTF-8
 * @param most maximum number of values
 */
export function excessOf(json: Uint8Array, most = VALUE_LIMIT): string | null {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfString(json, i);
    else if (byte === COMMA) values++;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values++;
      if (++depth > DEPTH_LIMIT) return `must not be nested deeper than ${DEPTH_LIMIT} levels`;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    if (values > most) return `must not have more than ${most} values`;
  }
  return null;
}

/** Index of the closing quote of the string starting at `start`; the end of the text if there is none. */
function endOfString(json: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i;
}
