// How searches and tags compare texts, in the database, the console and the CLI.

/** Unicode normalization, so that equivalent texts match. */
export function composed(text: string): string {
  return text.normalize("NFC");
}

const BEYOND_ASCII = /[^\x00-\x7f]/; // oxlint-disable-line no-control-regex -- it is what is looked for

/** Full-width letters, half-width katakana, and the wide space. */
const WIDTH_FORMS = /[\u3000\uff00-\uffef]+/g;

/**
 * A text without differences of case, width and normal form; folding it again changes nothing. A part of a text folds
 * to a part of its folding, so that searches find it. All other letters stay different.
 */
export function folded(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  const usual = composed(text.replaceAll(WIDTH_FORMS, (forms) => forms.normalize("NFKC")));
  // The capital of the dotless i is the I of all others, though it is another letter.
  return composed(usual.split("ı").map(withoutCase).join("ı"));
}

/**
 * Lower case alone keeps `ß` and `ﬁ`, of which upper case makes SS and FI, and writes the Greek sigma by its place in the word.
 * It also leaves a dot above the small letter of `İ`, which is an i.
 */
function withoutCase(text: string): string {
  const lower = text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return lower.normalize("NFD").replaceAll(/i\p{Mark}+/gu, (letter) => letter.replaceAll("\u0307", ""));
}

/** The tags without those equal to an earlier one. */
export function distinctTags(tags: readonly string[]): string[] {
  const firsts = new Map<string, string>();
  for (const tag of tags) if (!firsts.has(composed(tag))) firsts.set(composed(tag), tag);
  return [...firsts.values()];
}

/** The tags, those equal to a current one as it is spelled now. */
export function spelledAs(current: readonly string[], tags: readonly string[]): string[] {
  const spellings = new Map(current.map((tag) => [composed(tag), tag]));
  return tags.map((tag) => spellings.get(composed(tag)) ?? tag);
}
