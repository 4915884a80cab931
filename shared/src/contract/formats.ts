// Text validation as plain functions: the schemas build on them, and import worker threads use them without loading zod.

// Unpaired surrogates are rejected because they cannot be encoded as UTF-8.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

const MAC_NOTATIONS = [
  /^(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}$/i, // BSD and macOS omit leading zeros
  /^(?:[0-9a-f]{2}-){5}[0-9a-f]{2}$/i,
  /^[0-9a-f]{4}([.-])[0-9a-f]{4}\1[0-9a-f]{4}$/i, // Cisco; Huawei, H3C
  /^[0-9a-f]{6}-?[0-9a-f]{6}$/i, // HP
];

/** Maximum characters of a host name. */
export const HOSTNAME_LIMIT = 253;

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/i;

/** True for a DNS name: ASCII labels separated by dots, without a trailing dot. */
export function isDnsName(text: string): boolean {
  return DNS_NAME.test(text);
}

/** Validates a text of `min` to `max` characters (code points). @returns the fault, or null */
export function textFault(value: string, min: number, max: number): string | null {
  // A code point has at most two code units.
  if (value.length > 2 * max) return `must have at most ${max} characters`;
  const length = [...value].length;
  if (length < min) return min === 1 ? "must not be empty" : `must have at least ${min} characters`;
  if (length > max) return `must have at most ${max} characters`;
  return UNPRINTABLE.test(value) ? "must not contain control characters" : null;
}

// Format characters (\p{Cf}) without the two joiners that scripts and emoji need, line and paragraph separators, Hangul fillers.
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");
// Unassigned characters count as visible, because they may be new emoji. U+2800 is an empty Braille cell.
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Why a valid text is no label: two labels that look the same should be the same. @returns the fault with its place, or null */
export function visibilityFault(value: string): string | null {
  const found = INVISIBLE.exec(value);
  if (found !== null) {
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const position = [...value.slice(0, found.index)].length + 1;
    return `must not contain invisible characters: U+${code} at character ${position}`;
  }
  return value === "" || VISIBLE.test(value) ? null : "must contain a visible character";
}

/** A text without characters that labels must not contain; empty if nothing in it is visible. */
export function visiblePart(text: string): string {
  if (visibilityFault(text) === null) return text;
  const clean = text
    .replaceAll(/[\u2028\u2029]/g, " ")
    .replaceAll(ALL_INVISIBLE, "")
    .trim();
  return VISIBLE.test(clean) ? clean : "";
}

/** Normalizes a MAC address in any common notation to `AA:BB:CC:DD:EE:FF`; other text is returned unchanged. */
export function canonicalMac(text: string): string {
  if (!MAC_NOTATIONS.some((notation) => notation.test(text))) return text;
  const bytes = text.split(":").map((byte) => byte.padStart(2, "0"));
  const digits = bytes
    .join("")
    .replace(/[^0-9a-f]/gi, "")
    .toUpperCase();
  return (digits.match(/../g) ?? []).join(":");
}

/** True for the canonical form of a MAC address. */
export function isMac(text: string): boolean {
  return /^([0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(text);
}
