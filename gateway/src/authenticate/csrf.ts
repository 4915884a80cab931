import type { IncomingHttpHeaders } from "node:http";
import { hasBody } from "../edge/body.js";

/** Forms cannot send this type; other types are reported as unsupported. */
const JSON_TYPE = "application/json";

/**
 * True if a write authenticated by cookie may come from one of our pages. Browsers send `Origin` or `Sec-Fetch-Site`,
 * other clients neither. The body type must be one that forms cannot send.
 *
 * @param ownOrigin of the public URL; null if only the request's `Host` counts
 * @param types body types of the operation
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

/** Host and port of an origin, in the format of `Host`; null if invalid. */
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
