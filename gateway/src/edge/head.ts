import type { OutgoingHttpHeader } from "node:http";
import { addRateLimit } from "../rate-limit/headers.js";
import type { Exchange } from "./exchange.js";

// Every head of an answer is written here, from one list of names and values by turns: setting headers one by one makes Node
// keep, check and look up each of them once more.

/** The header with the request id, as answers show it. */
export const ANSWERED_REQUEST_ID = "X-Request-Id";

/** Begins an answer with these, what every answer carries, and the caller's level where it is known. @param fields is added to */
export function writeHead(exchange: Exchange, status: number, fields: OutgoingHttpHeader[]): void {
  addEvery(fields, exchange);
  exchange.response.writeHead(status, fields);
}

/** Sets what every answer carries on one that somebody else will write. */
export function setEveryHeader(exchange: Exchange): void {
  const fields: OutgoingHttpHeader[] = [];
  addEvery(fields, exchange);
  for (let at = 0; at < fields.length; at += 2) exchange.response.setHeader(String(fields[at]), fields[at + 1] ?? "");
}

function addEvery(fields: OutgoingHttpHeader[], { requestId, everyAnswer, level }: Exchange): void {
  fields.push(ANSWERED_REQUEST_ID, requestId, ...everyAnswer);
  if (level !== null) addRateLimit(fields, level);
}
