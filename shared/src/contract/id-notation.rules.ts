// How ids are written. Worker threads read them, too, and load no schemas.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Normalizes a UUID in any common notation (upper case, braces, `urn:uuid:`, no hyphens) to lower case with hyphens; other
 * text is returned unchanged. Version and variant are not checked.
 */
export function canonicalId(text: string): string {
  if (UUID.test(text)) return text;
  const digits = text
    .toLowerCase()
    .replace(/^urn:uuid:/, "")
    .replace(/^\{(.*)\}$/, "$1");
  if (UUID.test(digits)) return digits;
  const bare = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(digits);
  return bare === null ? text : bare.slice(1).join("-");
}

/** True for the canonical form of a UUID. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
