import type { IncomingMessage, ServerResponse } from "node:http";
import cors from "cors";

// CORS for configured origins only, without credentials, so that browsers send no cookies. The documented response
// headers are exposed.

const REQUEST_HEADERS = [
  ...["Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "Change-Comment"],
  ...["Last-Event-ID", "Prefer", "traceparent", "tracestate", "X-Request-Id"],
];
const RESPONSE_HEADERS = [
  ...[
    "Accept-Patch",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "Preference-Applied",
    "Retry-After",
    "X-Request-Id",
  ],
  ...["RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const PREFLIGHT_SECONDS = 600;

/** Sets the CORS headers of a response. @returns true for an allowed preflight request */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

/** No origin is allowed if none is configured. */
export function createCors(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => false;
  const setHeaders = cors<IncomingMessage>({
    origin: [...origins],
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
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
