import { promisify } from "node:util";
import {
  type BrotliCompress,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
} from "node:zlib";
import type { AnyEndpoint } from "@nts/shared/contract";
import type { Exchange } from "../edge/exchange.js";
import type { Purpose } from "../edge/in-flight.js";
import type { ResponseStream } from "../edge/response-stream.js";
import { acceptedEncodings, chooseEncoding, type Encoding } from "../files/encoding.js";
import type { ResponseHead } from "./transport.js";

// Compresses what reads answer. Not what shows a secret, whose length could be guessed by what else is in the response; not single
// entities, whose `ETag` is sent back with writes and would have to differ; and not streams, whose events must arrive at once.

export type Compressed = Exclude<Encoding, "identity">;

/** Smaller responses stay as they are: they fit into a few packets. */
export const SMALLEST_BYTES = 4_096;
/** Streams that are compressed at a time, which hold some hundred kilobytes each; further ones stay as they are. */
const MOST_STREAMS = 64;

// Both take about the same time, a few milliseconds a megabyte; higher ones save little more of these texts.
const GZIP_LEVEL = 3;
const BROTLI_QUALITY = 3;
const BROTLI_WINDOW_BITS = 18;

const ENCODINGS: ReadonlySet<Encoding> = new Set(["br", "gzip", "identity"]);
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
  },
};
let streams = 0;

/** Whether a response may be compressed, as far as it is not too small. */
export function isCompressible(
  { status, headers }: ResponseHead,
  { method, showsSecret, isFile, streams: isStream }: AnyEndpoint,
  purpose: Purpose,
): boolean {
  const isRead = method === "get" && purpose === "plain" && status === 200;
  const isEntity = headers.etag !== undefined && isFile !== true;
  return isRead && showsSecret !== true && isStream !== true && !isEntity;
}

/** What a client accepts, also for a response that stays as it is; null for none. */
export function encodingFor(exchange: Exchange): Compressed | null {
  exchange.varyBy("Accept-Encoding");
  const accepted = acceptedEncodings(exchange.request.headers);
  if (accepted === undefined) return null;
  const chosen = chooseEncoding(accepted, ENCODINGS);
  return chosen === "identity" ? null : chosen;
}

/** Compresses a complete response. */
export function compressed(text: Buffer, encoding: Compressed): Promise<Buffer> {
  return encoding === "br" ? promisify(brotliCompress)(text, BROTLI) : promisify(gzip)(text, { level: GZIP_LEVEL });
}

/** True if a further stream may be compressed. */
export function hasRoom(): boolean {
  return streams < MOST_STREAMS;
}

/** Where a response is written, compressed or as it is. */
export type Sink = Pick<ResponseStream, "write" | "end">;

/**
 * Compresses a response as it is written. Every piece is sent at once, as the service has sent it.
 *
 * @param begin the response, whose client has read what it was sent
 * @param onDrain more is wanted after `write` returned false
 * @returns null if the response is no longer open
 */
export function compressedStream(
  exchange: Exchange,
  encoding: Compressed,
  begin: (onDrain: () => void) => ResponseStream | null,
  onDrain: () => void,
): Sink | null {
  const compressor = compressorFor(encoding);
  const stream = begin(() => {
    compressor.resume();
  });
  if (stream === null) return null;
  streams++;
  compressor
    .once("close", () => streams--)
    .on(
      "data",
      exchange.guard((piece: Buffer) => {
        if (!stream.write(piece)) compressor.pause();
      }),
    )
    .on("drain", exchange.guard(onDrain))
    .once(
      "end",
      exchange.guard(() => {
        stream.end("");
      }),
    )
    .once("error", (error: unknown) => {
      exchange.fail(error);
    });
  exchange.releaseAtEnd({ release: () => compressor.destroy() });
  return {
    write: (piece) => compressor.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece),
    end: (suffix) => {
      compressor.end(Buffer.from(suffix, "latin1"));
    },
  };
}

function compressorFor(encoding: Compressed): Gzip | BrotliCompress {
  return encoding === "br"
    ? createBrotliCompress({ ...BROTLI, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH });
}
