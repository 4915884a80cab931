import type { IncomingHttpHeaders } from "node:http";
import { hasBody } from "../edge/body.js";

/** No form can send it; where an operation takes something else, that is what is said of it. */
const JSON_TYPE = "application/json";

/**
 * True when a write that a cookie authenticates may come from a page of ours. A browser says where it comes from in
 * `Origin` or `Sec-Fetch-Site`; a client that is no browser sends neither. A body must be of a type that a form cannot send.
 *
 * @param ownOrigin of the public URL; null when only the request's own `Host` counts
 * @param types of the body that the operation takes
 */
export function isFromOwnPage(
  headers: IncomingHttpHeaders,
  ownOrigin: string | null,
  types: readonly string[],
): boolean {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined) {
    if (origin !== ownOrigin && hostOf(origin) !== headers.host?.toLowerCase()) return false;
  } else if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const type = typeOf(headers["content-type"]);
  return !hasBody(headers) || types.includes(type) || type === JSON_TYPE;
}

/** Host and port of an origin, as `Host` would show them; null when it is none. */
function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host || null;
  } catch {
    return null;
  }
}

function typeOf(contentType = ""): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
