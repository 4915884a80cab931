// What `q` looks in: a text of lower-case lines, one for each value of an entity that can be searched. A part of one value
// is never found across two of them, because nobody can ask for a line break.

/** One form for all ways in which Unicode can write a text, so that they find each other. */
export function composed(text: string): string {
  return text.normalize("NFC");
}

/** The searched text of an entity with these values. */
export function searchTextOf(...values: readonly (string | null)[]): string {
  return folded(values.filter((value) => value !== null).join("\n"));
}

function folded(text: string): string {
  return composed(text.toLowerCase());
}

/** Of ASCII: no other character means anything in an expression. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The condition for texts that have this part. Whatever it is made of stands for itself. */
export function searchFilter(part: string): { search: { $regex: string } } {
  return { search: { $regex: folded(part).replaceAll(PUNCTUATION, "\\$&") } };
}
