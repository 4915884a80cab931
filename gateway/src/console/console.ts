import type { IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import Negotiator from "negotiator";
import { SECURITY_HEADERS } from "../edge/response-headers.js";
import { HeaderList } from "../edge/header-list.js";
import type { ServedFile } from "../files/served-file.js";
import { readSite } from "./site.js";

// The web console: one document for all of its paths, and files served from memory. A request is a lookup, so it is not
// rate-limited.

/**
 * The policy allows only files of this origin. Styles set by scripts on elements are not inline styles in its sense.
 */
const HEADERS = headersFor([]);

/** @param origins whose pages may contain the console in a frame */
function headersFor(origins: readonly string[]): HeaderList {
  const { "X-Frame-Options": never, ...others } = SECURITY_HEADERS;
  return HeaderList.of({
    ...others,
    // It knows no origins, and would forbid all.
    ...(origins.length === 0 && never !== undefined && { "X-Frame-Options": never }),
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "worker-src 'self'; base-uri 'none'; form-action 'none'; " +
      `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(" ")}`,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  });
}

/** The page of a share, as its headers differ from share to share. */
export function framedBy(page: ServedFile, origins: readonly string[]): ServedFile {
  return { ...page, headers: headersFor(origins), cacheControl: "no-store" };
}

export interface Console {
  /** The file at a path, for GET and HEAD; null if there is none. */
  find(path: string): ServedFile | null;
  /** The page for unknown paths; null for clients that prefer JSON. */
  notFoundFor(request: IncomingMessage): ServedFile | null;
}

/** The build's output folder, next to the compiled gateway. */
const SITE = fileURLToPath(new URL("../site", import.meta.url));

/** Loads the console from its build folder. */
export function createConsole(folder: string = SITE): Console {
  const { find, notFound } = readSite(folder, HEADERS);
  return { find, notFoundFor: (request) => (requestsDocument(request) ? notFound : null) };
}

/** Browsers ask for HTML first when navigating; paths under `/api` are not for people. */
function requestsDocument({ method, url = "", headers }: IncomingMessage): boolean {
  if ((method !== "GET" && method !== "HEAD") || /^\/api(?:[/?]|$)/.test(url)) return false;
  return (
    new Negotiator({ headers: { accept: headers.accept } }).mediaType(["application/json", "text/html"]) === "text/html"
  );
}
