/** A text without the differences of case, the same for all cases of it, and composed. */
export function caseFolded(text: string): string {
  // The capital of the dotless i is the I of all others, though it is another letter.
  return text.normalize("NFC").split("ı").map(folded).join("ı").normalize("NFC");
}

/** Lower case alone keeps `ß` and `ﬁ`, of which upper case makes SS and FI, and two forms of the Greek sigma. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}
