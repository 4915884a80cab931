import { Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { AppError } from "@nts/shared/errors";
import { isGzip } from "./gzip.rules.js";
import { faultAt } from "./readers/lines.js";
import type { FileLimits } from "./scan.rules.js";

// Files may be compressed. They are unpacked piece by piece, so that one which grows without end costs no more than its limit.

const MIB = 1_048_576;
const PIECE_BYTES = 262_144;

/** The text of a file, which may be compressed. @param damage the error of one that is damaged or incomplete */
export async function* unpacked(file: AsyncIterable<Uint8Array>, damage: () => AppError): AsyncGenerator<Uint8Array> {
  const pieces = file[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const all = from(first.value, pieces);
  if (!isGzip(first.value)) {
    yield* all;
    return;
  }
  const source = Readable.from(all, { highWaterMark: 1 });
  const text = source.pipe(createGunzip({ chunkSize: PIECE_BYTES }));
  source.on("error", (error) => text.destroy(error));
  try {
    for await (const piece of text) yield piece as Uint8Array;
  } catch (error) {
    const isOfGzip = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isOfGzip ? damage() : error;
  } finally {
    source.destroy();
  }
}

async function* from(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The size of a file as text; of one that is compressed, no more than just above a limit. */
export async function textBytesOf(blocks: readonly Uint8Array[], most: number): Promise<number> {
  if (!isGzip(blocks[0])) return blocks.reduce((sum, { length }) => sum + length, 0);
  let bytes = 0;
  try {
    for await (const piece of unpacked(Readable.from(blocks), damage)) {
      bytes += piece.length;
      if (bytes > most) break;
    }
  } catch (error) {
    // Whoever reads it says so.
    if (!(error instanceof AppError)) throw error;
  }
  return bytes;
}

/** Unpacks a file in place. @throws AppError `validation_failed` if it is damaged, or larger than its limit */
export async function unpackInPlace(blocks: Uint8Array[], { bytes: most, advice }: FileLimits): Promise<void> {
  if (!isGzip(blocks[0])) return;
  let bytes = 0;
  const text: Uint8Array[] = [];
  for await (const piece of unpacked(Readable.from(blocks.splice(0)), damage)) {
    bytes += piece.length;
    if (bytes > most) throw faultAt(1, `is compressed, and larger than ${most / MIB} MiB: ${advice}`);
    text.push(piece);
  }
  blocks.push(...text);
}

/** A text whose blocks are compressed by themselves: no more than one of them is unpacked at a time, and let go. */
export function* unpackedOneByOne(blocks: Uint8Array[]): Generator<Uint8Array> {
  // Those that were kept by an earlier version are not compressed.
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift())
    yield isGzip(block) ? gunzipSync(block) : block;
}

function damage(): AppError {
  return faultAt(1, "is compressed by gzip, and damaged or incomplete");
}
