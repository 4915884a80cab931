import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { createRouteTable } from "@nts/shared/http/route-table";
import type { OpenApiDocument } from "./breaking-changes.js";

/** A response in the document. */
interface Declared {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Response headers that are part of the contract; others are common to all of HTTP. */
const CHECKED = [
  ...["accept-patch", "content-disposition", "etag", "idempotency-replayed", "link", "location", "ratelimit"],
  ...["retry-after", "www-authenticate", "x-ratelimit-limit", "x-request-id"],
];

/** Statuses of requests that are not read completely, described by the response `default`. */
const UNREAD = [408, 431];

/** The responses of an operation, by status. */
type Responses = Readonly<Record<string, Declared>>;

let routes: ReturnType<typeof createRouteTable<Responses>> | undefined;

/**
 * Checks that the OpenAPI document declares the status, the error code and the headers of a real response. Requests for
 * no operation are not checked.
 *
 * @param response with the names of its headers, in lower case
 * @throws Error
 */
export function requireDeclared(
  method: string,
  target: string,
  { status, headers, code }: { status: number; headers: Iterable<string>; code: string },
): void {
  const path = target.replace(/[?#].*$/, "");
  const asked = method.toUpperCase() === "HEAD" ? "GET" : method.toUpperCase();
  routes ??= readRoutes();
  const responses = routes.find(asked, path)?.value;
  if (responses === undefined || UNREAD.includes(status)) return;
  const refuse = (what: string): never => {
    throw new Error(`${method} ${path}: the OpenAPI document does not declare ${what}`);
  };
  const declared = responses[String(status)];
  if (declared === undefined) return refuse(`status ${status} ${code}`);
  if (code !== "" && !declared.description.includes(`- \`${code}\``)) refuse(`code ${code} for ${status}`);
  const known = new Set(Object.keys(declared.headers ?? {}).map((header) => header.toLowerCase()));
  const sent = new Set(headers);
  const missing = CHECKED.filter((header) => sent.has(header) && !known.has(header));
  if (missing.length > 0) refuse(`${missing.join()} of ${status}`);
}

function readRoutes(): NonNullable<typeof routes> {
  const { paths, components } = JSON.parse(readFileSync(join(ROOT, "shared/openapi.json"), "utf8")) as OpenApiDocument;
  const table = createRouteTable<Responses>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      const resolved = Object.entries(responses).map(([status, response]) => {
        const name = response.$ref?.split("/").at(-1);
        return [status, name === undefined ? response : components["responses"]![name]];
      });
      table.add(method, path, Object.fromEntries(resolved) as Responses);
    }
  return table;
}
