import type { AppError } from "@nts/shared/errors";
import { retryAfterSeconds, STATUSES } from "@nts/shared/http/statuses";
import { CHALLENGE, JSON_FIELDS, SECURITY_FIELDS } from "./response-headers.js";
import { failureText, successText } from "./envelope-text.js";
import type { Exchange } from "./exchange.js";

/** Responds with data of the gateway itself. */
export function sendSuccess(exchange: Exchange, data: unknown): void {
  sendText(exchange, 200, successText(data));
}

/** Responds with a failure. @param status if it does not follow from the code */
export function sendFailure(exchange: Exchange, error: AppError, status: number = STATUSES[error.code]): void {
  sendText(exchange, status, failureText(error, exchange.requestId), retryAfterSeconds(error));
}

/** Responds with headers only. */
export function sendEmpty(exchange: Exchange, status: number): void {
  exchange.respond(status, SECURITY_FIELDS.copy(), null);
}

function sendText(exchange: Exchange, status: number, text: string, waitSeconds: number | null = null): void {
  const headers = JSON_FIELDS.copy();
  if (status === 401) headers.add(...CHALLENGE);
  if (waitSeconds !== null) headers.add("Retry-After", waitSeconds);
  exchange.respond(status, headers.add("Content-Length", Buffer.byteLength(text)), text);
}
