import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@nts/shared/errors";
import { failureText } from "./envelope.js";
import { ANSWERED_REQUEST_ID } from "./head.js";
import { type Fields, JSON_FIELDS } from "./json-headers.js";
import { newRequestId } from "./request-id.js";

/** True for what did not come in time. */
export function isTooSlow({ code }: { readonly code?: string }): boolean {
  return code === "ERR_HTTP_REQUEST_TIMEOUT";
}

/** The status of what Node could not take for a request, or not in time. */
export function statusOf(error: { readonly code?: string }): 400 | 408 | 431 {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431;
  return isTooSlow(error) ? 408 : 400;
}

/** Answers bytes that are no HTTP request, for which Node makes neither request nor response, and closes the connection. */
export function answerMalformed(error: Error & { readonly code?: string }, socket: Duplex, more: Fields): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const text = failureText(new AppError("malformed_request"), requestId);
  const status = statusOf(error);
  const fields = [
    ...JSON_FIELDS,
    ...more,
    ...[ANSWERED_REQUEST_ID, requestId],
    ...["Date", new Date().toUTCString()],
    ...["Content-Length", Buffer.byteLength(text)],
    ...["Connection", "close"],
  ];
  const head = fields.map((part, at) => (at % 2 === 0 ? `${String(part)}: ` : `${String(part)}\r\n`)).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${text}`);
}
