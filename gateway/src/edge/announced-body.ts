import type { IncomingHttpHeaders } from "node:http";
import { BODY_LIMIT_BYTES } from "@nts/shared/http/headers";

/** True if the headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True if the headers announce a body over the limit. */
export function announcesTooMuch(headers: IncomingHttpHeaders, limitBytes = BODY_LIMIT_BYTES): boolean {
  return Number(headers["content-length"] ?? 0) > limitBytes;
}

/** True if the headers announce a body of unknown or excessive length. */
export function isEndless(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || announcesTooMuch(headers);
}
