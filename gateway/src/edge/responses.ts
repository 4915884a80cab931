import { SECURITY_FIELDS } from "./response-headers.js";
import { successText } from "./envelope-text.js";
import type { Exchange } from "./exchange.js";
import { jsonHead } from "./json-head.js";

/** Responds with data of the gateway itself. */
export function sendSuccess(exchange: Exchange, data: unknown): void {
  const text = successText(data);
  exchange.respond(200, jsonHead(200, text), text);
}

/** Responds with headers only. */
export function sendEmpty(exchange: Exchange, status: number): void {
  exchange.respond(status, SECURITY_FIELDS.copy(), null);
}
