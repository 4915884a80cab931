/** Characters of a piece, and milliseconds after which it ends although it is shorter, even empty. */
const PIECE = { characters: 65_536, ms: 25 };

/** Joins texts to pieces, each a limited amount of work: there may be many texts, or long work before the next one. */
export async function* inPieces(
  texts: AsyncIterable<string>,
  now = () => performance.now(),
): AsyncGenerator<string, void, void> {
  let piece = "";
  let startedAt = now();
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE.characters && now() - startedAt < PIECE.ms) continue;
    yield piece;
    piece = "";
    startedAt = now();
  }
  yield piece;
}
