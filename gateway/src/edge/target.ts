import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^https?:\/\/([^/?]+)(\/[^?]*)?(\?.*)?$/i;

/**
 * Replaces an absolute-form target that names this server by its path and query; it then takes precedence over `Host`.
 *
 * @param ownHost of the public URL; null if only the request's `Host` counts
 * @see RFC 9112 § 3.2.2
 */
export function resolveTarget(request: IncomingMessage, ownHost: string | null): void {
  const { url = "", headers } = request;
  if (url.startsWith("/")) return;
  const [, authority, path = "/", query = ""] = ABSOLUTE.exec(url) ?? [];
  const host = authority?.toLowerCase();
  if (host === undefined || (host !== ownHost && host !== headers.host?.toLowerCase())) return;
  request.url = path + query;
  headers.host = host;
}

/** The target of the next page of a list. */
export function nextTargetOf(request: Pick<IncomingMessage, "url">, cursor: string): string {
  const query = new URLSearchParams(queryOf(request));
  query.delete("offset");
  query.set("cursor", cursor);
  return `${(request.url ?? "").replace(/\?.*$/s, "")}?${query.toString()}`;
}

/** The query of a target without its question mark; empty if there is none. */
export function queryOf({ url = "" }: Pick<IncomingMessage, "url">): string {
  const cut = url.indexOf("?");
  return cut === -1 ? "" : url.slice(cut + 1);
}
