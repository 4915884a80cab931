/** The lines of a file without their ends, those of a piece at a time. @param onLong of a line with too many bytes; throws */
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
      // A copy: the piece may be a small part of what is held for it.
      parts.push(Buffer.from(piece.subarray(from)));
      bytes += piece.length - from;
      if (bytes > limitBytes) onLong();
    }
    if (lines.length > 0) yield lines;
  }
  if (bytes > 0) yield [Buffer.concat(parts)];
}
