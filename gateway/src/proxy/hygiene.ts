import type { IncomingHttpHeaders } from "node:http";
import { INTERNAL, REQUEST_ID, TRACEPARENT, TRACESTATE } from "@nts/shared/http/headers";

// What of a client's headers a service gets to see. Whatever could be taken for a header of ours, speaks of one connection
// only, or is a credential, stays here. A name with an underscore is dropped because some readers take it for a hyphen.

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
  // The service is addressed by its own name, and answers in plain JSON to be put into an envelope.
  "host",
  "accept-encoding",
  "http2-settings",
]);

const OF_BODY = new Set(["content-length", "content-type", "content-encoding"]);

/**
 * The headers that go on to a service. A body of unknown length gets its framing from the client that sends it on.
 *
 * @param withBody false when no body goes on, and so nothing that describes one
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

/** Headers that `Connection` declares to be of this connection; null in the usual case of none. */
function namedBy(connection: string | undefined): ReadonlySet<string> | null {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return null;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}
