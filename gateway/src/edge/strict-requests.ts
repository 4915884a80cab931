import type { IncomingMessage } from "node:http";

// Rejects what Node's parser accepts but two parsers may read differently (request smuggling). Node itself rejects
// malformed lines and headers, conflicting lengths and oversized heads.

/** Maximum bytes of all headers; with the URL up to the server's limit. */
export const HEADERS_LIMIT_BYTES = 16_384;

/** Overhead per header: colon, space and line end. */
const AROUND_FIELD_BYTES = 4;

/** A name or address with optional port; may be empty. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Characters of a request target: no space, no non-ASCII, no fragment. */
const TARGET = /^[!"$-~]+$/;

/** The status with which a request is rejected before anything else; null if it is sound. */
export function faultOf({ rawHeaders, httpVersion, headers, url = "" }: IncomingMessage): 400 | 431 | null {
  let hosts = 0;
  let authorizations = 0;
  let bytes = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    bytes += name.length + (rawHeaders[i + 1] ?? "").length + AROUND_FIELD_BYTES;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations++;
  }
  if (bytes > HEADERS_LIMIT_BYTES) return 431;
  const isSound =
    hasHost(httpVersion, hosts, headers.host) &&
    hasPlainFraming(httpVersion, headers["transfer-encoding"]) &&
    authorizations <= 1 &&
    TARGET.test(url);
  return isSound ? null : 400;
}

/** HTTP/1.1 requires exactly one `Host`; HTTP/1.0 may omit it; other versions are rejected. */
function hasHost(version: string, count: number, host = ""): boolean {
  if (version !== "1.1" && version !== "1.0") return false;
  return (count === 1 || (count === 0 && version === "1.0")) && HOST.test(host);
}

/** Only chunked encoding is supported, and not in HTTP/1.0. */
function hasPlainFraming(version: string, encoding: string | undefined): boolean {
  return encoding === undefined || (version === "1.1" && encoding.toLowerCase() === "chunked");
}
