// What `q` looks in: a text of lower-case lines, one for each value of an entity that can be searched. A part of one value
// is never found across two of them, because nobody can ask for a line break.

/** The searched text of an entity with these values. */
export function searchTextOf(...values: readonly (string | null)[]): string {
  return values
    .filter((value) => value !== null)
    .join("\n")
    .toLowerCase();
}

/** Of ASCII: no other character means anything in an expression. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The condition for texts that have this part. Whatever it is made of stands for itself. */
export function searchFilter(part: string): { search: { $regex: string } } {
  return { search: { $regex: part.toLowerCase().replaceAll(PUNCTUATION, "\\$&") } };
}
