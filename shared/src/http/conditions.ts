import fresh from "fresh";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../contract/endpoint.js";
import { creates, takesPrecondition } from "../contract/writes.js";
import { AppError, type Fault, validationFailed } from "../errors.js";
import type { Precondition } from "../revision.js";
import type { HandlerResponse } from "./respond.js";

// Conditional requests (RFC 9110 § 13).

/** The precondition of a request; null if it has none. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition | null {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return null;
  // Weak tags never match in `If-Match` (RFC 9110 § 13.1.1).
  const strong = match === undefined ? null : tagsOf(match).filter((tag) => !tag.startsWith("W/"));
  const weak = noneMatch === undefined ? null : tagsOf(noneMatch).map((tag) => tag.replace(/^W\//, ""));
  return { match: revisionsOf(strong), noneMatch: revisionsOf(weak) };
}

function tagsOf(value: string): string[] {
  return value.split(",").map((tag) => tag.trim());
}

/** Without quotes, so that a quoted `*` has to go. */
function revisionsOf(tags: readonly string[] | null): readonly string[] | null {
  return tags?.filter((tag) => tag !== '"*"').map((tag) => tag.replace(/^"(.*)"$/, "$1")) ?? null;
}

/**
 * Checks that a write can have its precondition. One that creates an entity has no current state: `If-Match` fails, and
 * `If-None-Match` holds.
 *
 * @throws AppError `precondition_failed`, or `validation_failed` if the operation has no single entity
 */
export function requireApplicable(operation: Endpoint, precondition: Precondition | null): void {
  if (precondition === null || operation.method === "get" || takesPrecondition(operation)) return;
  const { match, noneMatch } = precondition;
  if (creates(operation)) {
    if (match !== null) throw new AppError("precondition_failed");
    return;
  }
  const wrong = "must not be sent with this operation";
  const wrongMatch = operation.plans === true ? "must be the `etag` of a plan: the operation has no other" : wrong;
  const faults: Fault[] = [
    ...(match === null ? [] : [{ path: "If-Match", message: wrongMatch }]),
    ...(noneMatch === null ? [] : [{ path: "If-None-Match", message: wrong }]),
  ];
  throw validationFailed(...faults);
}

/** True if the response to a read fulfils `If-Match`; one without an `ETag` only fulfils `*`. */
export function fulfils(precondition: Precondition | null, { revision }: HandlerResponse<unknown>): boolean {
  const match = precondition?.match ?? null;
  return match === null || match.includes("*") || (revision !== undefined && match.includes(String(revision)));
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
