import type { IncomingHttpHeaders } from "node:http";
import { hasBody } from "../edge/announced-body.js";

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
    if (origin !== ownOrigin && !isOfHost(origin, headers.host, ownOrigin)) return false;
  } else if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const type = typeOf(headers["content-type"]);
  return !hasBody(headers) || types.includes(type) || type === JSON_TYPE;
}

/** Whether a page comes from the requested host, and by https if this is how the public one is reached. */
function isOfHost(origin: string, host = "", ownOrigin: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.host !== host.toLowerCase()) return false;
  return page.protocol === "https:" || (page.protocol === "http:" && ownOrigin !== `https://${page.host}`);
}

function typeOf(contentType = ""): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
