import type { OutgoingHttpHeader } from "node:http";
import { rateLimitFields } from "../rate-limit/headers.js";
import type { Exchange } from "./exchange.js";
import type { Fields } from "./json-headers.js";

// Every head of an answer is written here, from one list of names and values by turns: setting headers one by one makes Node
// keep, check and look up each of them once more.

/** The header with the request id, as answers show it. */
export const ANSWERED_REQUEST_ID = "X-Request-Id";

/** Begins an answer with what every answer carries, the caller's level where it is known, and these. */
export function writeHead(exchange: Exchange, status: number, fields: Fields): void {
  exchange.response.writeHead(status, [...everyField(exchange), ...fields]);
}

/** Sets what every answer carries on one that somebody else will write. */
export function setEveryHeader(exchange: Exchange): void {
  const fields = everyField(exchange);
  for (let at = 0; at < fields.length; at += 2) exchange.response.setHeader(String(fields[at]), fields[at + 1] ?? "");
}

function everyField({ requestId, everyAnswer, level }: Exchange): OutgoingHttpHeader[] {
  const fields = [ANSWERED_REQUEST_ID, requestId, ...everyAnswer];
  if (level !== null) fields.push(...rateLimitFields(level));
  return fields;
}
