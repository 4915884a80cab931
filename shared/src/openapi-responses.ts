import { putUnder } from "./groups.js";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "./contract/index.js";
import { Version } from "./contract/system.js";
import { Plan, takesIdempotencyKey } from "./contract/writes.js";
import { ERRORS, type ErrorCode } from "./errors.js";
import { STATUSES } from "./http/statuses.js";

// The answers in the OpenAPI document. Most operations share theirs, so each is written once, as a component, and operations
// refer to it: the document would be five times as long otherwise, and a generated client full of equal types. Components are
// referred to a thousand times, so those that most operations have are called as their status.

const Pagination = z
  .object({
    total_count: z.int().describe("All entities that match, ignoring pagination."),
    limit: z.int().describe("The applied limit; 0 when there was none."),
    offset: z.int(),
    has_more: z.boolean().describe("More entities exist beyond this page."),
    next: z.string().optional().describe("The `cursor` of the next page; absent at the end, and without a limit."),
  })
  .meta({ id: "Pagination" });

const ListMeta = Version.extend({
  pagination: Pagination,
  changes_cursor: z
    .string()
    .optional()
    .describe("With `limit=0`: the changes cursor to continue from; all changes missing from the list follow it."),
}).meta({ id: "ListMeta" });

const Meta = Version.extend({
  dry_run: z.literal(true).optional().describe("Nothing was written."),
  next: z.string().nullable().optional().describe("Changes: the cursor to continue from, as `after`."),
  oldest: z.string().optional().describe("Changes: the cursor after which everything is retained."),
  plan: Plan.optional().describe("Writes: present with `dry_run` and `explain`."),
}).meta({ id: "Meta" });

const Failure = z
  .object({
    success: z.literal(false),
    error: z.string().describe("Human-readable message."),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    params: z.record(z.string(), z.unknown()).describe("Details of the code."),
    meta: Version.extend({ request_id: z.string() }).meta({ id: "FailureMeta" }),
  })
  .meta({ id: "Failure" });

/** The headers that every answer carries, by the names of their components: they are referred to as often as answers are. */
export const HEADERS = {
  Limit: { description: "Requests per minute.", schema: { type: "integer" } },
  Remaining: { description: "Requests currently available.", schema: { type: "integer" } },
  Reset: { description: "Seconds until the allowance is full.", schema: { type: "integer" } },
  Request: { description: "Identifies the request in logs.", required: true, schema: { type: "string" } },
} as const;

/** The headers of answers to repeated writes, likewise. */
export const WRITE_HEADERS = {
  Replayed: {
    description: "`true` if this is the stored response of an earlier request with this idempotency key.",
    schema: { type: "string" },
  },
} as const;

const referenceTo = (name: keyof typeof HEADERS | keyof typeof WRITE_HEADERS) => ({
  $ref: `#/components/headers/${name}`,
});
const HEADER_REFERENCES = {
  "X-RateLimit-Limit": referenceTo("Limit"),
  "X-RateLimit-Remaining": referenceTo("Remaining"),
  "X-RateLimit-Reset": referenceTo("Reset"),
  "X-Request-Id": referenceTo("Request"),
};
/** Of failures: the allowance is described where it is told, and where it is used up. */
const FAILURE_HEADER_REFERENCES = { "X-Request-Id": referenceTo("Request") };
const WRITE_HEADER_REFERENCES = { ...HEADER_REFERENCES, "Idempotency-Replayed": referenceTo("Replayed") };

/** Files that a client reads as values; all others are texts. */
const READ_AS_VALUES: ReadonlySet<string> = new Set(["application/json", "application/yaml"]);

/** What any operation may answer, and none for a reason of its own, is said in one answer. */
const WITHOUT_STATUS = "default";

/** Statuses of requests that cannot be read, beyond 400. */
const UNREADABLE = "`malformed_request` (408: sent too slowly; 431: headers too large)";

/** What is usual for a status, and what an answer with it is called; with other codes, after these. */
const USUAL: Readonly<Partial<Record<string, { readonly name: string; readonly codes: readonly ErrorCode[] }>>> = {
  "400": { name: "BadRequest", codes: ["malformed_request", "validation_failed"] },
  "401": { name: "Unauthorized", codes: ["api_key_disabled", "api_key_expired", "api_key_invalid", "not_authenticated", "second_factor_required", "session_expired"] }, // prettier-ignore
  "403": { name: "Forbidden", codes: ["api_access_disabled", "csrf_rejected", "permission_denied"] },
  "409": { name: "Conflict", codes: ["idempotency_in_progress", "write_conflict"] },
  [WITHOUT_STATUS]: { name: "Failed", codes: ["internal_error", "rate_limited", "too_many_in_flight", "unavailable", "upstream_failed", "upstream_timeout"] }, // prettier-ignore
};

/** A reference to an answer among the components. */
export interface ResponseReference {
  readonly $ref: `#/components/responses/${string}`;
}

/** Collects the answers of operations. */
export interface Responses {
  /** The answers of an operation, by status. */
  of(operation: AnyEndpoint): Record<`${2 | 3 | 4}${string}` | typeof WITHOUT_STATUS, ResponseReference>;
  /** All that were referred to, by name. */
  readonly components: Readonly<Record<string, ZodOpenApiResponseObject>>;
}

/** No answers yet. @param operations all that will be asked for */
export function createResponses(operations: readonly AnyEndpoint[]): Responses {
  /** What writes answer; reads that answer the same share it. */
  const written = new Set(operations.filter(takesIdempotencyKey).map(dataNameOf));
  const components: Record<string, ZodOpenApiResponseObject> = {};
  /** Names of envelopes by what they hold, since a name stands for one schema only. */
  const envelopes = new Map<z.ZodType, Map<boolean, z.ZodType>>();

  function refer(name: string, make: () => ZodOpenApiResponseObject): ResponseReference {
    components[name] ??= make();
    return { $ref: `#/components/responses/${name}` };
  }

  function envelopeOf({ list = false, response }: AnyEndpoint, name: string): z.ZodType {
    const known = envelopes.get(response)?.get(list);
    if (known !== undefined) return known;
    const made = z
      .object({
        success: z.literal(true),
        data: list ? z.array(response) : response,
        meta: list ? ListMeta : Meta,
      })
      .meta({ id: `${name}Envelope` });
    envelopes.set(response, (envelopes.get(response) ?? new Map<boolean, z.ZodType>()).set(list, made));
    return made;
  }

  function successOf(operation: AnyEndpoint): ResponseReference {
    const data = dataNameOf(operation);
    const { files = [], streams = false, isFile = streams } = operation;
    const types = files.map(pascal).join("Or");
    return refer(isFile ? types : files.length === 0 ? data : `${data}Or${types}`, () => ({
      description: "Success",
      headers: written.has(data) ? WRITE_HEADER_REFERENCES : HEADER_REFERENCES,
      content: {
        ...(!isFile && { "application/json": { schema: envelopeOf(operation, data) } }),
        ...Object.fromEntries(files.map((type) => [type, { schema: READ_AS_VALUES.has(type) ? z.unknown() : z.string() }])), // prettier-ignore
      },
    }));
  }

  function redirectOf(): ResponseReference {
    return refer("Redirect", () => ({
      description: "Redirect to `Location`.",
      headers: { ...HEADER_REFERENCES, Location: { schema: { type: "string" } } },
    }));
  }

  function failuresOf(operation: AnyEndpoint): [string, ResponseReference][] {
    const byStatus = new Map<string, ErrorCode[]>();
    for (const code of codesOf(operation)) putUnder(byStatus, statusOf(code), code);
    return [...byStatus].map(([status, codes]) => [
      status,
      refer(failureName(status, codes), () => failureOf(status, codes)),
    ]);
  }

  return {
    components,
    of: (operation) => ({
      ...(operation.redirects === true ? { "303": redirectOf() } : { "200": successOf(operation) }),
      ...(Object.fromEntries(failuresOf(operation)) as Record<typeof WITHOUT_STATUS, ResponseReference>),
    }),
  };
}

/** What the data of an answer is called: as its schema, and like the operation when that has no name. */
function dataNameOf({ response, list, operationId }: AnyEndpoint): string {
  const id = response instanceof z.ZodNull ? "Nothing" : (z.globalRegistry.get(response)?.id ?? pascal(operationId));
  return list === true ? `${id}List` : id;
}

/** The codes that an operation can answer: its own, and those that follow from its form. */
export function codesOf(operation: AnyEndpoint): ErrorCode[] {
  const { credential, permission, body, upload, errors, upstream, list, plans, showsSecret } = operation;
  const codes: ErrorCode[] = ["malformed_request", "rate_limited", "internal_error", "unavailable", ...errors];
  if (upstream !== "gateway")
    codes.push("too_many_in_flight", "upstream_failed", "upstream_timeout", "validation_failed");
  if (body) codes.push("unsupported_media_type", "payload_too_large");
  if (body && !upload) codes.push("malformed_json");
  if (takesIdempotencyKey(operation)) codes.push("idempotency_in_progress", "idempotency_mismatch", "quota_exceeded");
  if (showsSecret === true) codes.push("secret_shown_once");
  if (plans === true) codes.push("precondition_failed");
  if (credential === "any" || credential === "session")
    codes.push("not_authenticated", "session_expired", "second_factor_required", "csrf_rejected");
  if (credential === "any") codes.push("api_key_invalid", "api_key_expired", "api_key_disabled", "api_access_disabled");
  if (credential === "session") codes.push("session_required", "api_key_invalid");
  if (permission !== null) codes.push("permission_denied");
  if (list === true) codes.push("cursor_invalid");
  return [...new Set(codes)].sort();
}

/** The status under which a code is described. */
function statusOf(code: ErrorCode): string {
  const status = STATUSES[code];
  return status === 429 || status >= 500 ? WITHOUT_STATUS : String(status);
}

/** As its status and what is unusual for that; as its codes, where something usual is missing. */
function failureName(status: string, codes: readonly ErrorCode[]): string {
  const usual = USUAL[status];
  if (usual === undefined || !usual.codes.every((code) => codes.includes(code))) return codes.map(pascal).join("");
  const others = codes.filter((code) => !usual.codes.includes(code));
  return [usual.name, ...others.map(pascal)].join("");
}

function failureOf(status: string, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const isOfAll = status === WITHOUT_STATUS;
  const sentences = codes.map((code) => `\`${code}\`${isOfAll ? ` (${STATUSES[code]})` : ""}: ${ERRORS[code]}`);
  return {
    description: [...sentences, ...(isOfAll ? [UNREADABLE] : [])].join("\n\n"),
    headers: isOfAll ? HEADER_REFERENCES : FAILURE_HEADER_REFERENCES,
    content: { "application/json": { schema: Failure } },
  };
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
