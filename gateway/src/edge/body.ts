import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "@nts/shared/errors";
import { BODY_LIMIT_BYTES } from "@nts/shared/http/headers";

/** True when the headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True when the headers announce more than may be sent. */
export function announcesTooMuch(headers: IncomingHttpHeaders, limitBytes = BODY_LIMIT_BYTES): boolean {
  return Number(headers["content-length"] ?? 0) > limitBytes;
}

/**
 * The body as it arrives, to be sent on. Who stops reading early leaves the request as it is, and what is left is skipped.
 * It fails with AppError `payload_too_large` when more arrives than may be sent.
 */
export function countedBody(request: IncomingMessage, limitBytes: number): Readable {
  return Readable.from(counted(request, limitBytes), { objectMode: false });
}

async function* counted(request: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > limitBytes) throw new AppError("payload_too_large");
      yield piece;
    }
  } finally {
    request.resume();
  }
}

/** Skips a body that nobody wants. @param onTooMuch called when more arrives than may be sent even so */
export function skipBody(request: IncomingMessage, onTooMuch: () => void): void {
  let bytes = 0;
  const count = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= BODY_LIMIT_BYTES) return;
    request.off("data", count).resume();
    onTooMuch();
  };
  request.on("data", count);
}
