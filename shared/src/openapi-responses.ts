import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "./contract/index.js";
import { getHealth, Version } from "./contract/system.js";
import { Plan, takesIdempotencyKey } from "./contract/writes.js";
import { DEFAULT_FAILURE, defaultFailure, failureWith, ownCodesOf } from "./openapi-failures.js";

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
  Request: { description: "Identifies the request in logs.", required: true, schema: { type: "string" } },
} as const;

/** Further headers of write responses. */
export const WRITE_HEADERS = {
  Replayed: {
    description: "`true` if this is the stored response of an earlier request with this idempotency key.",
    schema: { type: "string" },
  },
} as const;

const referenceTo = (name: keyof typeof HEADERS | keyof typeof WRITE_HEADERS) => ({
  $ref: `#/components/headers/${name}`,
});
const UNLIMITED_HEADER_REFERENCES = { "X-Request-Id": referenceTo("Request") };
const HEADER_REFERENCES = {
  "X-RateLimit-Limit": referenceTo("Limit"),
  "X-RateLimit-Remaining": referenceTo("Remaining"),
  "X-RateLimit-Reset": referenceTo("Reset"),
  ...UNLIMITED_HEADER_REFERENCES,
};
const WRITE_HEADER_REFERENCES = { ...HEADER_REFERENCES, "Idempotency-Replayed": referenceTo("Replayed") };

/** File types that clients parse as values; all others are text. */
const READ_AS_VALUES: ReadonlySet<string> = new Set(["application/json", "application/yaml"]);

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
  /** Data of write responses; reads with the same data share the component. */
  const written = new Set(operations.filter(takesIdempotencyKey).map(dataNameOf));
  const components: Record<string, ZodOpenApiResponseObject> = {};
  /** Envelope schemas by their data, because a schema name must be unique. */
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

  /** The health check is exempt from the rate limit. */
  function headersOf(operation: AnyEndpoint, data: string): NonNullable<ZodOpenApiResponseObject["headers"]> {
    if (operation.operationId === getHealth.operationId) return UNLIMITED_HEADER_REFERENCES;
    return written.has(data) ? WRITE_HEADER_REFERENCES : HEADER_REFERENCES;
  }

  function successOf(operation: AnyEndpoint): ResponseReference {
    const data = dataNameOf(operation);
    const { files = [], streams = false, isFile = streams } = operation;
    const types = files.map(pascal).join("Or");
    return refer(isFile ? types : files.length === 0 ? data : `${data}Or${types}`, () => ({
      description: "Success",
      headers: headersOf(operation, data),
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

  function failuresOf(operation: AnyEndpoint): Record<string, ResponseReference> {
    const own = [...ownCodesOf(operation)];
    return Object.fromEntries(
      own.map(([status, codes]) => [status, refer(codes.map(pascal).join(""), () => failureWith(codes))]),
    );
  }

  return {
    components,
    of: (operation) => ({
      ...(operation.redirects === true ? { "303": redirectOf() } : { "200": successOf(operation) }),
      ...failuresOf(operation),
      default: refer(DEFAULT_FAILURE, () => defaultFailure(HEADER_REFERENCES)),
    }),
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, unknown> }>>>>;
  readonly components: { readonly responses: Record<string, unknown> };
}

/** Moves each response that a single operation has into that operation. */
export function inlineUnsharedResponses({ paths, components }: Document): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const uses = new Map<string, number>();
  for (const { responses } of operations)
    for (const { name } of referencesIn(responses)) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { responses } of operations)
    for (const { status, name } of referencesIn(responses))
      if (uses.get(name) === 1) {
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
