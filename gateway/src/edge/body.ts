import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "@nts/shared/errors";
import { BODY_LIMIT_BYTES } from "@nts/shared/http/headers";
import { limited } from "@nts/shared/http/limited";
import type { Exchange } from "./exchange.js";

/** Called with the size of each chunk. @throws AppError if there is no room for it */
export type CountBytes = (bytes: number) => void;

/**
 * Reads a body of at most {@link BODY_LIMIT_BYTES}.
 *
 * @throws AppError `payload_too_large` · `malformed_request` (disconnected) · errors of `count`
 */
export function readBody(exchange: Exchange, count: CountBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    consume(exchange, {
      onPiece: (piece) => {
        count(piece.length);
        pieces.push(piece);
      },
      onEnd: () => {
        resolve(pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces));
      },
      onFault: reject,
    });
  });
}

/** Reads and discards a body. @throws AppError as {@link readBody} */
export function skipBody(exchange: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    consume(exchange, { onPiece: () => undefined, onEnd: resolve, onFault: reject });
  });
}

interface Consumer {
  readonly onPiece: (piece: Buffer) => void;
  readonly onEnd: () => void;
  readonly onFault: (error: Error) => void;
}

function consume({ request }: Exchange, { onPiece, onEnd, onFault }: Consumer): void {
  let bytes = 0;
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    try {
      if (bytes > BODY_LIMIT_BYTES) throw new AppError("payload_too_large", { limit_bytes: BODY_LIMIT_BYTES });
      onPiece(piece);
    } catch (error) {
      // The rest stays unread until the response is sent.
      stop();
      request.pause();
      onFault(error as Error);
    }
  };
  const end = (): void => {
    stop();
    onEnd();
  };
  const breakOff = (): void => {
    stop();
    onFault(new AppError("malformed_request"));
  };
  const stop = (): void => {
    request.off("data", take).off("end", end).off("close", breakOff);
  };
  request.on("data", take).once("end", end).once("close", breakOff);
}

/** Milliseconds between the checks of the rights to an upload. */
const CONFIRM_MS = 1_000;

/** How an upload is read. */
export interface Upload {
  readonly limitBytes: number;
  /** Checks that the caller still has its rights. @throws AppError */
  readonly confirm: () => Promise<void>;
}

/**
 * The body of an upload as it arrives. Rights are checked while it arrives, and before it is complete. If the reader
 * stops early, the rest of the request is discarded. It fails with AppError `payload_too_large` beyond the limit, or
 * with that of the check.
 */
export function uploadedBody(request: IncomingMessage, upload: Upload): Readable {
  return Readable.from(confirmed(request, upload), { objectMode: false });
}

async function* confirmed(request: IncomingMessage, { limitBytes, confirm }: Upload): AsyncGenerator<Buffer> {
  const length = request.headers["content-length"] ?? null;
  const arriving = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  let bytes = 0;
  let confirmedAt = performance.now();
  try {
    for await (const piece of limited(arriving, limitBytes)) {
      bytes += piece.length;
      if (bytes === Number(length) || performance.now() - confirmedAt > CONFIRM_MS) {
        await confirm();
        confirmedAt = performance.now();
      }
      yield piece;
    }
    if (length === null) await confirm();
  } finally {
    request.resume();
  }
}
