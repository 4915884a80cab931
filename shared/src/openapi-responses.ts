import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "./contract/index.js";
import { Version } from "./contract/system.js";
import { Plan, takesIdempotencyKey } from "./contract/writes.js";
import { DEFAULT_FAILURE, defaultFailure, failureWith, ownCodesOf } from "./openapi-failures.js";

// Responses in the OpenAPI document. Each is a component, so that the document stays short and generated clients have no
// duplicate types.

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

/** Headers of every response, by their short component names. */
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
const HEADER_REFERENCES = {
  "X-RateLimit-Limit": referenceTo("Limit"),
  "X-RateLimit-Remaining": referenceTo("Remaining"),
  "X-RateLimit-Reset": referenceTo("Reset"),
  "X-Request-Id": referenceTo("Request"),
};
/** Failures describe the rate limit only in `default` and 429. */
const FAILURE_HEADER_REFERENCES = { "X-Request-Id": referenceTo("Request") };
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

  function failuresOf(operation: AnyEndpoint): Record<string, ResponseReference> {
    const own = [...ownCodesOf(operation)].map(([status, codes]) => {
      const headers = status === "429" ? HEADER_REFERENCES : FAILURE_HEADER_REFERENCES;
      return [status, refer(codes.map(pascal).join(""), () => failureWith(codes, headers))] as const;
    });
    return Object.fromEntries(own);
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

/** The name of a response's data: that of its schema, or else of the operation. */
function dataNameOf({ response, list, operationId }: AnyEndpoint): string {
  const id = response instanceof z.ZodNull ? "Nothing" : (z.globalRegistry.get(response)?.id ?? pascal(operationId));
  return list === true ? `${id}List` : id;
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
