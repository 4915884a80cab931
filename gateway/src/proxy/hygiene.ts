import type { IncomingHttpHeaders } from "node:http";
import { INTERNAL, REQUEST_ID, TRACEPARENT, TRACESTATE } from "@nts/shared/http/headers";

// Filters client headers: internal and hop-by-hop headers and credentials are not forwarded. Names with an underscore
// are dropped, because some readers treat it as a hyphen.

const DROPPED = new Set([
  ...Object.values(INTERNAL),
  REQUEST_ID,
  TRACEPARENT,
  TRACESTATE,
  "forwarded",
  "x-real-ip",
  "authorization",
  "cookie",
  "proxy-authorization",
  "proxy-authenticate",
  "proxy-connection",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  // The service has its own host name, and responds in plain JSON to be enveloped.
  "host",
  "accept-encoding",
  "http2-settings",
]);

const OF_BODY = new Set(["content-length", "content-type", "content-encoding"]);

/**
 * The headers to forward. A body of unknown length gets its framing from the HTTP client.
 *
 * @param withBody false if no body is forwarded, nor headers that describe one
 */
export function cleanHeaders(headers: IncomingHttpHeaders, withBody: boolean): Record<string, string | string[]> {
  const perConnection = namedBy(headers.connection);
  const clean: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || DROPPED.has(name) || name.includes("_") || name.startsWith("x-forwarded-")) continue;
    if (perConnection?.has(name) === true || (!withBody && OF_BODY.has(name))) continue;
    clean[name] = value;
  }
  return clean;
}

/** Headers listed in `Connection`; null in the usual case of none. */
function namedBy(connection: string | undefined): ReadonlySet<string> | null {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return null;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}
