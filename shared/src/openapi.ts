import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { z } from "zod";
import { OPERATIONS, type AnyEndpoint } from "./contract/index.js";
import { ERRORS, type ErrorCode } from "./errors.js";
import { STATUSES } from "./http/statuses.js";

// The contract as an OpenAPI 3.1 document. Nothing is written here that the contract does not say.

const Meta = z.object({ api_version: z.int(), server_version: z.string() }).meta({ id: "Meta" });

const Pagination = z
  .object({
    total_count: z.int().describe("All entities that match, ignoring pagination."),
    limit: z.int().describe("The applied limit; 0 when there was none."),
    offset: z.int(),
    has_more: z.boolean().describe("More entities exist beyond this page."),
  })
  .meta({ id: "Pagination" });

const Failure = z
  .object({
    success: z.literal(false),
    error: z.string().describe("A sentence for people."),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    params: z.record(z.string(), z.unknown()).describe("Details of the code."),
    meta: Meta.extend({ request_id: z.string() }),
  })
  .meta({ id: "Failure" });

const HEADERS = {
  "X-RateLimit-Limit": { description: "Requests a minute.", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Requests possible now.", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "Seconds until the allowance is full.", schema: { type: "integer" } },
  "X-Request-Id": { description: "Names the request in our logs.", required: true, schema: { type: "string" } },
} as const;

const HEADER_REFERENCES = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Statuses of requests that cannot be read, beyond 400: the same for every operation. */
const UNREADABLE = {
  "408": failureOf(["malformed_request"], "It was sent too slowly."),
  "431": failureOf(["malformed_request"], "There is too much before the body."),
};

/** The whole document, as a JSON value. @param version the application's version */
export function createOpenApiDocument(version: string): object {
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Network topology service",
      version,
      description:
        "Hosts, their interfaces and ports, and the services that run on them. Every answer is an envelope: `success`, " +
        "`data` and `meta`, or `success`, `error`, `code`, `params` and `meta`. Success is always 200.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(OPERATIONS),
    components: {
      headers: HEADERS,
      responses: UNREADABLE,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "A user API key." },
        session: { type: "apiKey", in: "cookie", name: "session_id", description: "Set by login." },
      },
    },
  });
}

function pathsOf(operations: readonly AnyEndpoint[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = describe(operation);
  return paths;
}

function describe(operation: AnyEndpoint): ZodOpenApiOperationObject {
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...describeRights(operation),
    requestParams: {
      ...(operation.params && { path: operation.params }),
      ...(operation.query && { query: operation.query }),
    },
    ...describeBody(operation),
    responses: {
      "200": {
        description: "Success",
        headers: HEADER_REFERENCES,
        content: { "application/json": { schema: successOf(operation) }, ...filesOf(operation) },
      },
      ...failuresOf(operation),
      ...Object.fromEntries(Object.keys(UNREADABLE).map((name) => [name, { $ref: `#/components/responses/${name}` }])),
    },
  };
}

function describeBody({ body, upload }: AnyEndpoint): Pick<ZodOpenApiOperationObject, "requestBody"> {
  if (body === undefined) return {};
  if (upload === undefined)
    return { requestBody: { required: true, content: { "application/json": { schema: body } } } };
  const file = { schema: { type: "string" } } as const;
  const description = `${upload.description} At most ${upload.limitBytes / 2 ** 20} MiB.`;
  const content = Object.fromEntries(upload.contentTypes.map((type) => [type, file]));
  return { requestBody: { required: true, description, content } };
}

function describeRights({ credential, permission, description }: AnyEndpoint) {
  const level = permission === null ? [] : [`Needs at least the level \`${permission}\`.`];
  const security: Record<string, Record<string, string[]>[]> = {
    any: [{ apiKey: [] }, { session: [] }],
    session: [{ session: [] }],
    optional: [{ session: [] }, {}],
  };
  return {
    description: [...(description === undefined ? [] : [description]), ...level].join(" "),
    security: security[credential] ?? [],
  };
}

function successOf({ list, response }: AnyEndpoint): z.ZodType {
  return z.object({
    success: z.literal(true),
    data: list === true ? z.array(response) : response,
    meta: list === true ? Meta.extend({ pagination: Pagination }) : Meta,
  });
}

/** The files that an operation can answer instead of JSON. */
function filesOf({ files = [] }: AnyEndpoint) {
  return Object.fromEntries(files.map((mediaType) => [mediaType, { schema: z.string() }]));
}

/** The codes that an operation can answer: its own, and those that follow from its form. */
export function codesOf({ credential, permission, body, upload, errors, upstream }: AnyEndpoint): ErrorCode[] {
  const codes: ErrorCode[] = ["malformed_request", "rate_limited", "internal_error", "unavailable", ...errors];
  if (upstream !== "gateway") codes.push("upstream_failed", "upstream_timeout", "validation_failed");
  if (body) codes.push("unsupported_media_type", "payload_too_large");
  if (body && !upload) codes.push("malformed_json");
  if (credential === "any" || credential === "session")
    codes.push("not_authenticated", "session_expired", "csrf_rejected");
  if (credential === "any") codes.push("api_key_invalid", "api_key_expired", "api_key_disabled", "api_access_disabled");
  if (credential === "session") codes.push("session_required", "api_key_invalid");
  if (permission !== null) codes.push("permission_denied");
  return [...new Set(codes)].sort();
}

function failuresOf(operation: AnyEndpoint): Record<`${4 | 5}${string}`, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(operation)) byStatus.set(STATUSES[code], [...(byStatus.get(STATUSES[code]) ?? []), code]);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), failureOf(codes)]));
}

function failureOf(codes: readonly ErrorCode[], more = "") {
  return {
    description: `${codes.map((code) => `\`${code}\`: ${ERRORS[code]}`).join("\n\n")} ${more}`.trim(),
    headers: HEADER_REFERENCES,
    content: { "application/json": { schema: Failure } },
  };
}

/** The text of the committed document. */
export function openApiText(version: string): string {
  return `${JSON.stringify(createOpenApiDocument(version), null, 2)}\n`;
}
