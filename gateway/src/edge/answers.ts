import type { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import { announcesTooMuch, hasBody } from "./body.js";
import { failureText, successText } from "./envelope.js";
import type { Exchange } from "./exchange.js";
import { JSON_HEADERS, SECURITY_HEADERS } from "./json-headers.js";

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
  if (typeof wait === "number") response.setHeader("Retry-After", wait);
  sendText(exchange, status, failureText(error, requestId));
}

/** Answers with nothing but headers. */
export function sendEmpty({ response }: Exchange, status: number): void {
  response.writeHead(status, SECURITY_HEADERS).end();
}

function sendText({ request, response }: Exchange, status: number, text: string): void {
  const headers = { ...JSON_HEADERS, "Content-Length": Buffer.byteLength(text) };
  const endless =
    !response.shouldKeepAlive ||
    request.headers["transfer-encoding"] !== undefined ||
    announcesTooMuch(request.headers);
  if (request.complete || !hasBody(request.headers) || !endless) {
    response.writeHead(status, headers).end(text);
    return;
  }
  response.writeHead(status, { ...headers, Connection: "close" });
  response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once("end", end).once("close", end).resume();
}
