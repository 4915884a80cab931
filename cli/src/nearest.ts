import { distance } from "fastest-levenshtein";

/** The word that was probably meant; null if none is close. */
export function nearest(word: string, words: readonly string[]): string | null {
  const said = plain(word);
  const farthest = Math.max(1, Math.floor(said.length / 3));
  let best: string | null = null;
  let least = farthest + 1;
  for (const one of words) {
    const apart = distance(said, plain(one));
    if (apart >= least) continue;
    best = one;
    least = apart;
  }
  return best;
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
