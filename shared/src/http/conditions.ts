import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "./answer.js";

// Requests that depend on the revision of what they are about (RFC 9110 § 13).

const WEAK = "W/";

/** The revisions of `If-Match`; weak tags are left out, since they never match there (RFC 9110 § 13.1.1). */
export function strongRevisionsOf(value: string | undefined): readonly string[] | null {
  return value === undefined ? null : revisionsIn(tagsIn(value).filter((tag) => !tag.startsWith(WEAK)));
}

/** The revisions of `If-None-Match`, which is compared weakly. */
function revisionsOf(value: string | undefined): readonly string[] | null {
  return value === undefined
    ? null
    : revisionsIn(tagsIn(value).map((tag) => (tag.startsWith(WEAK) ? tag.slice(WEAK.length) : tag)));
}

function tagsIn(value: string): string[] {
  return value.split(",").map((tag) => tag.trim());
}

function revisionsIn(tags: readonly string[]): string[] {
  return tags.map((tag) => tag.replace(/^"(.*)"$/, "$1"));
}

/** The client has this revision already. */
export function isUnchanged(request: IncomingMessage, given: Answer<unknown>): boolean {
  const reads = request.method === "GET" || request.method === "HEAD";
  if (!reads || given.revision === undefined || given.volatile === true) return false;
  const held = revisionsOf(request.headers["if-none-match"]);
  return held !== null && (held.includes("*") || held.includes(String(given.revision)));
}

export function sendUnchanged(response: ServerResponse, given: Answer<unknown>): void {
  response.statusCode = 304;
  response.setHeader("etag", `"${given.revision ?? ""}"`);
  response.end();
}
