import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import Negotiator from "negotiator";
import { SECURITY_HEADERS } from "../edge/json-headers.js";
import { chooseEncoding } from "./encoding.js";
import { readSite, type SiteFile } from "./site.js";

// The web console. It is one document for all of its paths and some files, which are sent from memory as the build made
// them: a request costs no more than a look-up, which is why it is not counted against any limit.

/**
 * The console brings all that it needs: nothing is loaded from elsewhere, and no script or style runs but those that lie
 * here as files. Styles that scripts set on single elements are no inline styles in the sense of the policy.
 */
const POLICY = [
  ["default-src", "'none'"],
  ["script-src", "'self'"],
  ["style-src", "'self'"],
  ["img-src", "'self' data:"],
  ["connect-src", "'self'"],
  ["worker-src", "'self'"],
  ["base-uri", "'none'"],
  ["form-action", "'none'"],
  ["frame-ancestors", "'none'"],
]
  .map((directive) => directive.join(" "))
  .join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

export interface Console {
  /** True for a path of the console; it can be read only. */
  has(path: string): boolean;
  /** Answers a GET or HEAD of such a path. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): void;
  /** True for who asks for a path that nothing has, and would rather read a page about it than an envelope. */
  isReader(request: IncomingMessage): boolean;
  /** Answers a reader. */
  serveNotFound(request: IncomingMessage, response: ServerResponse): void;
}

/** Where the build puts it: beside the compiled gateway. */
const SITE = fileURLToPath(new URL("../site", import.meta.url));

/** The console from a folder that the build made. */
export function createConsole(folder: string = SITE): Console {
  const site = readSite(folder);
  return {
    has: (path) => site.find(path) !== null,
    serve: (path, request, response) => {
      const file = site.find(path);
      if (file !== null) send(file, request, response);
    },
    isReader: (request) => site.notFound !== null && isDocumentWanted(request),
    serveNotFound: (request, response) => {
      if (site.notFound !== null) send(site.notFound, request, response);
    },
  };
}

/** Browsers ask for HTML first when a person goes somewhere; what is under `/api` is not for people. */
function isDocumentWanted({ method, url = "", headers }: IncomingMessage): boolean {
  if ((method !== "GET" && method !== "HEAD") || /^\/api(?:[/?]|$)/.test(url)) return false;
  return new Negotiator({ headers: { accept: headers.accept } }).mediaType(["application/json", "text/html"]) === "text/html"; // prettier-ignore
}

function send(file: SiteFile, request: IncomingMessage, response: ServerResponse): void {
  const { contents, etag, contentType, cacheControl, vary } = file;
  const headers = { ...HEADERS, "Cache-Control": cacheControl, Vary: vary, ETag: etag };
  if (file.status === 200 && isKnown(request.headers["if-none-match"], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const encoding = chooseEncoding(headerOf(request, "accept-encoding"), new Set(contents.keys()));
  const content = contents.get(encoding);
  response.writeHead(file.status, {
    ...headers,
    "Content-Type": contentType,
    "Content-Length": content?.length ?? 0,
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
  });
  response.end(request.method === "HEAD" ? undefined : content);
}

/** Compared weakly, as `If-None-Match` is. */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}
