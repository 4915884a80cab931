// What texts are accepted, as functions: the schemas are made of them, and the thread of an import, which would pay for a
// library of schemas with each file, uses them alone.

// Unpaired surrogates are refused because no UTF-8 store can give them back.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

const MAC_NOTATIONS =
  /^(?:[0-9a-f]{12}|(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})$/i;

/** Characters of a host name. */
export const HOSTNAME_LIMIT = 253;

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/i;

/** True for a name as programs look it up: labels of ASCII with dots between them, and none at the end. */
export function isDnsName(text: string): boolean {
  return DNS_NAME.test(text);
}

/** What is wrong with a text that may have `min` to `max` characters (code points); null when nothing is. */
export function textFault(value: string, min: number, max: number): string | null {
  // A character has two code units at most.
  if (value.length > 2 * max) return `must have at most ${max} characters`;
  const length = [...value].length;
  if (length < min) return min === 1 ? "must not be empty" : `must have at least ${min} characters`;
  if (length > max) return `must have at most ${max} characters`;
  return UNPRINTABLE.test(value) ? "must not contain control characters" : null;
}

/** `AA:BB:CC:DD:EE:FF` from any usual notation of a MAC address; anything else comes back as it was. */
export function canonicalMac(text: string): string {
  if (!MAC_NOTATIONS.test(text)) return text;
  const digits = text.replace(/[^0-9a-f]/gi, "").toUpperCase();
  return (digits.match(/../g) ?? []).join(":");
}

/** True for the canonical form of a MAC address. */
export function isMac(text: string): boolean {
  return /^([0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(text);
}
