import fresh from "fresh";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { HandlerResponse } from "./respond.js";

// Conditional requests (RFC 9110 § 13).

/** The revisions of `If-Match`, or `*`; weak tags never match there (RFC 9110 § 13.1.1) and are omitted. */
export function strongRevisionsOf(value: string | undefined): readonly string[] | null {
  if (value === undefined) return null;
  const tags = value.split(",").map((tag) => tag.trim());
  return tags.filter((tag) => !tag.startsWith("W/") && tag !== '"*"').map((tag) => tag.replace(/^"(.*)"$/, "$1"));
}

/** True if the client already has the representation with this `ETag`. */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  // Without the other headers: `fetch` adds `Cache-Control: no-cache` to a condition, which would make nothing fresh.
  return fresh({ "if-none-match": known }, { etag });
}

/** True if the response to a read is 304. */
export function isUnchanged(request: IncomingMessage, given: HandlerResponse<unknown>): boolean {
  const reads = request.method === "GET" || request.method === "HEAD";
  if (!reads || given.revision === undefined || given.volatile === true) return false;
  return isFresh(request.headers, `"${given.revision}"`);
}

export function sendUnchanged(response: ServerResponse, given: HandlerResponse<unknown>): void {
  response.statusCode = 304;
  response.setHeader("etag", `"${given.revision ?? ""}"`);
  response.end();
}
