/** Splits chunks into lines without line endings, yielding the lines of each chunk together. @param onLong throws for a line over the limit */
export async function* linesIn(
  pieces: AsyncIterable<Uint8Array>,
  limitBytes: number,
  onLong: () => never,
): AsyncGenerator<readonly Uint8Array[]> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const lines: Uint8Array[] = [];
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      if (bytes + end - from > limitBytes) onLong();
      lines.push(parts.length === 0 ? piece.subarray(from, end) : Buffer.concat([...parts, piece.subarray(from, end)]));
      [parts, bytes, from] = [[], 0, end + 1];
    }
    if (from < piece.length) {
      // Copied because the chunk may be a small view of a large buffer.
      parts.push(Buffer.from(piece.subarray(from)));
      bytes += piece.length - from;
      if (bytes > limitBytes) onLong();
    }
    if (lines.length > 0) yield lines;
  }
  if (bytes > 0) yield [Buffer.concat(parts)];
}
