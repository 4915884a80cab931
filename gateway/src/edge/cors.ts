import type { IncomingMessage, ServerResponse } from "node:http";
import cors from "cors";

// Pages of other origins may call the API only where the settings name their origin, and then with an API key: no answer
// allows credentials, so that a browser sends no cookie along. What a page may read of an answer is what the API documents.

const REQUEST_HEADERS = [
  ...["Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key"],
  ...["traceparent", "tracestate"],
];
const ANSWER_HEADERS = [
  ...["Accept-Patch", "ETag", "Idempotency-Replayed", "Retry-After", "X-Request-Id"],
  ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const PREFLIGHT_SECONDS = 600;

/** Sets what an answer says to pages of other origins. @returns true for the question of an allowed one before its request */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Closed to everybody when there are no origins. */
export function createCors(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => false;
  const setHeaders = cors<IncomingMessage>({
    origin: [...origins],
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    preflightContinue: true,
  });
  return (request, response) => {
    setHeaders(request, response, () => undefined);
    return isPreflight(request) && response.hasHeader("Access-Control-Allow-Origin");
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}
