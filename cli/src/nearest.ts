import { distance } from "fastest-levenshtein";

/** Shorter words may be the beginning of anything. */
const SHORT = 3;

/** The word that was probably meant; null if none is close. */
export function nearest(word: string, words: readonly string[]): string | null {
  const said = plain(word);
  const beginning = said.length < SHORT ? [] : words.filter((one) => plain(one).startsWith(said));
  const [longer, ...others] = new Set(beginning);
  if (longer !== undefined && others.length === 0) return longer;
  const farthest = Math.max(1, Math.floor(said.length / 3));
  let best: string | null = null;
  let least = farthest + 1;
  for (const one of words) {
    // Swapped letters are one mistake.
    const apart = letters(said) === letters(plain(one)) ? 1 : distance(said, plain(one));
    if (apart >= least) continue;
    best = one;
    least = apart;
  }
  return best;
}

function letters(word: string): string {
  return [...word].sort().join("");
}

/** Case, and how words are separated, matter to nobody. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/** Such as `; did you mean hostname?`, or the whole choice. */
export function adviceFor(word: string, words: readonly string[]): string {
  const meant = nearest(word, words);
  if (meant !== null) return `; did you mean ${meant}?`;
  return words.length === 0 ? "." : `; there are ${words.join(", ")}.`;
}
