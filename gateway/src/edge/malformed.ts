import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@nts/shared/errors";
import { v7 } from "uuid";
import { failureText } from "./envelope.js";
import { ANSWERED_REQUEST_ID } from "./exchange.js";
import { JSON_HEADERS } from "./json-headers.js";

/** The status of what Node could not take for a request, or not in time. */
export function statusOf({ code }: { readonly code?: string }): 400 | 408 | 431 {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

/** Answers bytes that are no HTTP request, for which Node makes neither request nor response, and closes the connection. */
export function answerMalformed(
  error: Error & { readonly code?: string },
  socket: Duplex,
  headers: Readonly<Record<string, string | number>>,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = v7();
  const text = failureText(new AppError("malformed_request"), requestId);
  const status = statusOf(error);
  const lines = Object.entries({
    ...JSON_HEADERS,
    ...headers,
    [ANSWERED_REQUEST_ID]: requestId,
    Date: new Date().toUTCString(),
    "Content-Length": Buffer.byteLength(text),
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`);
}
