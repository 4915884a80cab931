import { AppError } from "../errors.js";

/** The pieces of a body as they arrive. @throws AppError `payload_too_large`, or what `excess` makes, beyond `limitBytes` */
export async function* limited<Piece extends Uint8Array>(
  pieces: AsyncIterable<Piece>,
  limitBytes: number,
  excess = (): AppError => new AppError("payload_too_large", { limit_bytes: limitBytes }),
): AsyncGenerator<Piece> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limitBytes) throw excess();
    yield piece;
  }
}
