// Search text: lower-case lines, one per searchable value. Matches cannot span values, because queries contain no line
// breaks.

/** Unicode normalization, so that equivalent texts match. */
export function composed(text: string): string {
  return text.normalize("NFC");
}

/** The search text for these values. */
export function searchTextOf(...values: readonly (string | null)[]): string {
  return folded(values.filter((value) => value !== null).join("\n"));
}

function folded(text: string): string {
  return composed(text.toLowerCase());
}

/** ASCII only: no other character has a meaning in regular expressions. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The condition for a substring, taken literally. */
export function searchFilter(part: string): { search: { $regex: string } } {
  return { search: { $regex: folded(part).replaceAll(PUNCTUATION, "\\$&") } };
}
