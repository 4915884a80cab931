import type { IncomingMessage } from "node:http";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";
import { createRouteTable } from "@nts/shared/http/route-table";
import { MCP } from "../mcp/assistants.js";
import { OAUTH_ENDPOINTS } from "../oauth/endpoints.js";
import type { ServedFile } from "../files/served-file.js";

/** What a request line matches. `allow` is the value of `Allow`. */
export type Destination =
  | { readonly kind: "operation"; readonly endpoint: AnyEndpoint }
  | { readonly kind: "page"; readonly file: ServedFile }
  | { readonly kind: "console"; readonly file: ServedFile }
  | { readonly kind: "share"; readonly file: ServedFile; readonly shareId: string }
  | { readonly kind: "options"; readonly allow: string }
  | { readonly kind: "wrong-method"; readonly allow: string }
  | { readonly kind: "unknown" };

/** Sources of readable files by path. */
export interface ReadOnlyPaths {
  readonly page: (path: string, query: string) => ServedFile | null;
  readonly console: (path: string) => ServedFile | null;
}

/** Matches a request line. */
export type Routes = (request: IncomingMessage) => Destination;

/** Pages of shares, followed by the id. */
const SHARE = "/share/";

/** The methods of any path. */
const ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Matches operations and what assistants request first, then pages and console paths. TRACE and CONNECT are never allowed; `*` stands for
 * every path.
 */
export function createRoutes(paths: ReadOnlyPaths): Routes {
  const table = createRouteTable<AnyEndpoint>();
  for (const endpoint of [...OPERATIONS, MCP, ...OAUTH_ENDPOINTS]) table.add(endpoint.method, endpoint.path, endpoint);
  const readOnlyAt = (path: string, query: string): Destination | null => {
    const page = paths.page(path, query);
    if (page !== null) return { kind: "page", file: page };
    const file = paths.console(path);
    if (file === null) return null;
    return path.startsWith(SHARE)
      ? { kind: "share", file, shareId: path.slice(SHARE.length) }
      : { kind: "console", file };
  };
  return ({ method = "", url = "" }) => {
    const cut = url.indexOf("?");
    const path = cut === -1 ? url : url.slice(0, cut);
    const found = table.find(method === "HEAD" ? "GET" : method, path);
    if (found !== null) return { kind: "operation", endpoint: found.value };
    const file = readOnlyAt(path, cut === -1 ? "" : url.slice(cut + 1));
    const readOnly = file !== null;
    if (readOnly && (method === "GET" || method === "HEAD")) return file;
    const everywhere = method === "CONNECT" || (method === "OPTIONS" && url === "*");
    const methods = everywhere ? ALL_METHODS : readOnly ? ["GET"] : table.methodsOf(path);
    if (methods.length === 0)
      return method === "TRACE" ? { kind: "wrong-method", allow: "OPTIONS" } : { kind: "unknown" };
    return { kind: method === "OPTIONS" ? "options" : "wrong-method", allow: allowOf(methods) };
  };
}

/** The methods of a path, including the implied ones. */
function allowOf(methods: readonly string[]): string {
  return [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ");
}
