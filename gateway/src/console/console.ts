import type { IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import Negotiator from "negotiator";
import { SECURITY_HEADERS } from "../edge/answer-headers.js";
import { HeaderList } from "../edge/header-list.js";
import type { ServedFile } from "../files/served-file.js";
import { readSite } from "./site.js";

// The web console. It is one document for all of its paths and some files, which are sent from memory as the build made
// them: a request costs no more than a look-up, which is why it is not counted against any limit.

/**
 * The console brings all that it needs: nothing is loaded from elsewhere, and no script or style runs but those that lie
 * here as files. Styles that scripts set on single elements are no inline styles in the sense of the policy.
 */
const HEADERS = HeaderList.of({
  ...SECURITY_HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
});

export interface Console {
  /** The file at a path, which can be read only; null where the console has none. */
  find(path: string): ServedFile | null;
  /** What tells a person that a path does not exist; null for a client that prefers an envelope. */
  notFoundFor(request: IncomingMessage): ServedFile | null;
}

/** Where the build puts it: beside the compiled gateway. */
const SITE = fileURLToPath(new URL("../site", import.meta.url));

/** The console from a folder that the build made. */
export function createConsole(folder: string = SITE): Console {
  const { find, notFound } = readSite(folder, HEADERS);
  return { find, notFoundFor: (request) => (isDocumentWanted(request) ? notFound : null) };
}

/** Browsers ask for HTML first when a person goes somewhere; what is under `/api` is not for people. */
function isDocumentWanted({ method, url = "", headers }: IncomingMessage): boolean {
  if ((method !== "GET" && method !== "HEAD") || /^\/api(?:[/?]|$)/.test(url)) return false;
  return new Negotiator({ headers: { accept: headers.accept } }).mediaType(["application/json", "text/html"]) === "text/html"; // prettier-ignore
}
