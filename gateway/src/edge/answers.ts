import type { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import { announcesTooMuch, hasBody } from "./body.js";
import { failureText, successText } from "./envelope.js";
import type { Exchange } from "./exchange.js";
import { writeHead } from "./head.js";
import { type Fields, JSON_FIELDS, SECURITY_FIELDS } from "./json-headers.js";

// How long and how much of a body nobody wants is still read after its answer, for the client to get at that answer:
// closing at once would reset the connection, and the answer with it.
const LINGER_MS = 1_000;

/** Answers with data of the gateway's own. */
export function sendSuccess(exchange: Exchange, data: unknown): void {
  sendText(exchange, 200, successText(data));
}

/**
 * Answers with a failure; when the answer has begun already, cuts the connection instead.
 *
 * @param status where the code alone does not tell it
 */
export function sendFailure(exchange: Exchange, error: AppError, status: number = STATUSES[error.code]): void {
  const { response, requestId } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const wait = error.params["retry_after_seconds"] ?? (error.code === "unavailable" ? 1 : undefined);
  sendText(exchange, status, failureText(error, requestId), typeof wait === "number" ? ["Retry-After", wait] : []);
}

/** Answers with nothing but headers. */
export function sendEmpty(exchange: Exchange, status: number): void {
  writeHead(exchange, status, [...SECURITY_FIELDS]);
  exchange.response.end();
}

function sendText(exchange: Exchange, status: number, text: string, more: Fields = []): void {
  const { request, response } = exchange;
  const fields = [...JSON_FIELDS, ...more, "Content-Length", Buffer.byteLength(text)];
  const endless =
    !response.shouldKeepAlive ||
    request.headers["transfer-encoding"] !== undefined ||
    announcesTooMuch(request.headers);
  if (request.complete || !hasBody(request.headers) || !endless) {
    writeHead(exchange, status, fields);
    response.end(text);
    return;
  }
  writeHead(exchange, status, [...fields, "Connection", "close"]);
  response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once("end", end).once("close", end).resume();
}
