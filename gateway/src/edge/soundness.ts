import type { IncomingMessage } from "node:http";

// What Node's parser lets pass and a gateway must not: requests that two parsers would read differently. Node itself refuses
// broken lines, spaces before colons, folded lines, two lengths, a length beside chunks, and heads above its limit.

/** Bytes of all header fields together; with the address they may have as much as the server lets Node read. */
export const FIELDS_LIMIT_BYTES = 16_384;

/** Of a header field: the colon, the space and the end of the line. */
const AROUND_FIELD_BYTES = 4;

/** A name or address with or without a port; empty is allowed. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** What an address is made of: no space, nothing beyond ASCII, no fragment. */
const TARGET = /^[!"$-~]+$/;

/** The status with which a request is refused before it is looked at any further; null for a sound one. */
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
  if (bytes > FIELDS_LIMIT_BYTES) return 431;
  const isSound =
    hasHost(httpVersion, hosts, headers.host) &&
    hasPlainFraming(httpVersion, headers["transfer-encoding"]) &&
    authorizations <= 1 &&
    TARGET.test(url);
  return isSound ? null : 400;
}

/** HTTP/1.1 has exactly one `Host`, its elder may do without; nobody else is spoken to. */
function hasHost(version: string, count: number, host = ""): boolean {
  if (version !== "1.1" && version !== "1.0") return false;
  return (count === 1 || (count === 0 && version === "1.0")) && HOST.test(host);
}

/** Chunks are the one encoding that is taken off again; HTTP/1.0 does not know them. */
function hasPlainFraming(version: string, encoding: string | undefined): boolean {
  return encoding === undefined || (version === "1.1" && encoding.toLowerCase() === "chunked");
}
