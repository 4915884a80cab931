import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { BODY_LIMIT_BYTES } from "@nts/shared/http/headers";

/** True when the headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True when the headers announce more than may be sent. */
export function announcesTooMuch(headers: IncomingHttpHeaders): boolean {
  return Number(headers["content-length"] ?? 0) > BODY_LIMIT_BYTES;
}

/** Calls back once when more of the body arrives than may be sent; must be called before anything reads the body. */
export function watchBodySize(request: IncomingMessage, onTooMuch: () => void): void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) return;
    request.off("data", count);
    onTooMuch();
  };
  request.on("data", count);
}
