import { folded } from "@nts/shared/contract/folding.rules";

// Search text: folded lines, one per searchable value. Matches cannot span values, because queries contain no line
// breaks.

/** The search text for these values. */
export function searchTextOf(...values: readonly (string | null)[]): string {
  return folded(values.filter((value) => value !== null).join("\n"));
}

/** ASCII only: no other character has a meaning in regular expressions. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The condition for a substring, taken literally. */
export function searchFilter(part: string): { search: { $regex: string } } {
  return { search: { $regex: folded(part).replaceAll(PUNCTUATION, "\\$&") } };
}
