import { STATUS_CODES } from "node:http";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "../contract/index.js";
import { Version } from "../contract/system.js";
import { canBeUnchanged, hasETag, Plan, takesIdempotencyKey } from "../contract/writes.js";
import type { ErrorCode } from "../errors.js";
import { hasRetryAfter } from "../http/statuses.js";
import { codesByStatus, failureWith, isRateLimited, OTHER_FAILURE } from "./failures.js";

// Responses in the OpenAPI document. Those of several operations are components, so that the document stays short and
// generated clients have no duplicate types.

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

/** Headers of responses, by their short component names. */
export const HEADERS = {
  Limit: { description: "Requests per minute.", schema: { type: "integer" } },
  Remaining: { description: "Requests currently available.", schema: { type: "integer" } },
  Reset: { description: "Seconds until the allowance is full.", schema: { type: "integer" } },
  Levels: {
    description:
      "`RateLimit` of the IETF: of each bucket, the requests that are possible now (`r`) and the seconds until it is full (`t`).",
    schema: { type: "string" },
  },
  Policies: {
    description:
      "`RateLimit-Policy` of the IETF: of each bucket, the requests of a full one (`q`) and the seconds to fill it (`w`).",
    schema: { type: "string" },
  },
  Next: { description: 'The next page of a list, as `<…>; rel="next"`.', schema: { type: "string" } },
  Request: { description: "Identifies the request in logs.", required: true, schema: { type: "string" } },
  EntityTag: {
    description: "The state of the response, for `If-Match` and `If-None-Match`.",
    schema: { type: "string" },
  },
  Replayed: {
    description: "`true` if this is the stored response of an earlier request with this idempotency key.",
    schema: { type: "string" },
  },
  Wait: { description: "Seconds after which to try again.", schema: { type: "integer" } },
  Challenge: { description: "The scheme of credentials.", schema: { type: "string" } },
  Patches: { description: "The accepted media type.", schema: { type: "string" } },
  Place: { description: "Where to continue.", schema: { type: "string" } },
  Applied: { description: "The preference of the request that was followed.", schema: { type: "string" } },
  File: { description: "The name of the file.", schema: { type: "string" } },
} as const;

const referenceTo = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** The headers of every response to an operation. */
function commonHeaders(operation: AnyEndpoint): Record<string, { $ref: string }> {
  return {
    ...(isRateLimited(operation) && {
      "X-RateLimit-Limit": referenceTo("Limit"),
      "X-RateLimit-Remaining": referenceTo("Remaining"),
      "X-RateLimit-Reset": referenceTo("Reset"),
      RateLimit: referenceTo("Levels"),
      "RateLimit-Policy": referenceTo("Policies"),
    }),
    "X-Request-Id": referenceTo("Request"),
  };
}

/** File types that clients parse as values; all others are text. */
const READ_AS_VALUES: ReadonlySet<string> = new Set(["application/json", "application/yaml"]);

function schemaOfFile(type: string): z.ZodType {
  return READ_AS_VALUES.has(type) ? z.unknown() : z.string();
}

/** A reference to a response component. */
export interface ResponseReference {
  readonly $ref: `#/components/responses/${string}`;
}

/** Collects the responses of operations. */
export interface Responses {
  /** The responses of an operation, by status. */
  of(operation: AnyEndpoint): Record<`${2 | 3 | 4 | 5}${string}` | "default", ResponseReference>;
  /** All referenced responses, by name. */
  readonly components: Readonly<Record<string, ZodOpenApiResponseObject>>;
}

/** Creates an empty collection. @param operations all operations of the document */
export function createResponses(operations: readonly AnyEndpoint[]): Responses {
  const components: Record<string, ZodOpenApiResponseObject> = {};
  /** Envelope schemas by their data, because a schema name must be unique. */
  const envelopes = new Map<z.ZodType, Map<boolean, z.ZodType>>();
  const usual = usualCodes(operations);

  /** Responses that differ only in the common headers have a suffix. */
  function refer(operation: AnyEndpoint, name: string, make: () => ZodOpenApiResponseObject): ResponseReference {
    const unique = isRateLimited(operation) ? name : `Unlimited${name}`;
    components[unique] ??= make();
    return { $ref: `#/components/responses/${unique}` };
  }

  function envelopeOf({ list = false, response }: AnyEndpoint, name: string): z.ZodType {
    return envelopeFor(response, name, list);
  }

  function envelopeFor(response: z.ZodType, name: string, list = false): z.ZodType {
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
    const name = isFile ? types : files.length === 0 ? data : `${data}Or${types}`;
    const isReplayed = takesIdempotencyKey(operation);
    return refer(operation, `${isReplayed ? "Written" : ""}${name}Response`, () => ({
      description: "Success",
      headers: {
        ...commonHeaders(operation),
        ...(operation.list === true && { Link: referenceTo("Next") }),
        ...(hasETag(operation) && { ETag: referenceTo("EntityTag") }),
        ...(isReplayed && { "Idempotency-Replayed": referenceTo("Replayed") }),
        ...(files.length > 0 && !streams && { "Content-Disposition": referenceTo("File") }),
      },
      content: {
        ...(!isFile && { "application/json": { schema: envelopeOf(operation, data) } }),
        ...Object.fromEntries(
          files.map((type) => [type, { schema: streams ? operation.response : schemaOfFile(type) }]),
        ),
      },
    }));
  }

  function redirectOf(operation: AnyEndpoint): ResponseReference {
    return refer(operation, "RedirectResponse", () => ({
      description: "Redirect to `Location`.",
      headers: { ...commonHeaders(operation), Location: referenceTo("Place") },
    }));
  }

  function acceptedOf(operation: AnyEndpoint, job: z.ZodType): ResponseReference {
    const data = z.globalRegistry.get(job)?.id ?? "Job";
    return refer(operation, `Accepted${data}Response`, () => ({
      description: "Accepted: the job, which goes on.",
      headers: {
        ...commonHeaders(operation),
        Location: referenceTo("Place"),
        "Preference-Applied": referenceTo("Applied"),
      },
      content: { "application/json": { schema: envelopeFor(job, data) } },
    }));
  }

  function unchangedOf(operation: AnyEndpoint): ResponseReference {
    return refer(operation, "NotModifiedResponse", () => ({
      description: "The state is that of `If-None-Match`.",
      headers: { ...commonHeaders(operation), ETag: referenceTo("EntityTag") },
    }));
  }

  function failureOf(operation: AnyEndpoint, status: number, codes: readonly ErrorCode[]): ResponseReference {
    const isPatch = status === 415 && operation.method === "patch";
    const name = `${nameOfFailure(status, codes, usual.get(status) ?? [])}${isPatch ? "OfPatch" : ""}Failure`;
    return refer(operation, name, () => ({
      ...failureWith(codes),
      headers: {
        ...commonHeaders(operation),
        ...(status === 401 && { "WWW-Authenticate": referenceTo("Challenge") }),
        ...(codes.some(hasRetryAfter) && { "Retry-After": referenceTo("Wait") }),
        ...(isPatch && { "Accept-Patch": referenceTo("Patches") }),
      },
    }));
  }

  return {
    components,
    of: (operation) => ({
      ...(operation.redirects === true ? { "303": redirectOf(operation) } : { "200": successOf(operation) }),
      ...(operation.accepted !== undefined && { "202": acceptedOf(operation, operation.accepted) }),
      ...(canBeUnchanged(operation) && { "304": unchangedOf(operation) }),
      ...Object.fromEntries(
        [...codesByStatus(operation)].map(([status, codes]) => [String(status), failureOf(operation, status, codes)]),
      ),
      default: refer(operation, "OtherFailure", () => ({ ...OTHER_FAILURE, headers: commonHeaders(operation) })),
    }),
  };
}

/** The codes that most operations with a status have there. */
function usualCodes(operations: readonly AnyEndpoint[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const counts = new Map<number, Map<string, number>>();
  for (const [status, codes] of operations.flatMap((operation) => [...codesByStatus(operation)])) {
    const ofStatus = counts.get(status) ?? new Map<string, number>();
    counts.set(status, ofStatus.set(codes.join(), (ofStatus.get(codes.join()) ?? 0) + 1));
  }
  return new Map(
    [...counts].map(([status, ofStatus]) => {
      const [most] = [...ofStatus].sort(([, a], [, b]) => b - a);
      return [status, (most?.[0] ?? "").split(",") as ErrorCode[]];
    }),
  );
}

/** The reason phrase with the unusual codes, such as `ConflictOrInUse`; all codes if a usual one is missing. */
function nameOfFailure(status: number, codes: readonly ErrorCode[], usual: readonly ErrorCode[]): string {
  if (!usual.every((code) => codes.includes(code))) return codes.map(pascal).join("Or");
  const unusual = codes.filter((code) => !usual.includes(code));
  return [STATUS_CODES[status] ?? String(status), ...unusual].map(pascal).join("Or");
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, unknown> }>>>>;
  readonly components: { readonly responses: Record<string, unknown> };
}

/**
 * Moves each success that a single operation has into that operation. Failures differ by little more than their status,
 * and generators of Go take those without a name of their own for one.
 */
export function inlineUnsharedResponses({ paths, components }: Document): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const uses = new Map<string, number>();
  for (const { responses } of operations)
    for (const { name } of referencesIn(responses)) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { responses } of operations)
    for (const { status, name } of referencesIn(responses))
      if (uses.get(name) === 1 && !name.endsWith("Failure")) {
        responses[status] = components.responses[name];
        Reflect.deleteProperty(components.responses, name);
      }
}

function referencesIn(responses: Readonly<Record<string, unknown>>): { status: string; name: string }[] {
  return Object.entries(responses).map(([status, response]) => {
    return { status, name: (response as ResponseReference).$ref.slice("#/components/responses/".length) };
  });
}

/** The name of a response's data: that of its schema, or else of the operation. */
function dataNameOf({ response, list, operationId }: AnyEndpoint): string {
  const id = response instanceof z.ZodNull ? "Nothing" : (z.globalRegistry.get(response)?.id ?? pascal(operationId));
  return list === true ? `${id}List` : id;
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
