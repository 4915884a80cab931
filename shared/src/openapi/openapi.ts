import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { bodyTypesOf, OPERATIONS, type AnyEndpoint } from "../contract/index.js";
import {
  canBeUnchanged,
  ChangeCommentHeader,
  hasETag,
  IdempotencyKey,
  takesIdempotencyKey,
  takesPrecondition,
} from "../contract/writes.js";
import { RESPOND_ASYNC } from "../http/headers.js";
import { makePortable } from "./portable.js";
import { OPERATION_TAGS } from "../contract/operation-tags.js";
import { createResponses, HEADERS, inlineUnsharedResponses, type Responses } from "./responses.js";

// Generates the OpenAPI 3.1 document from the contract alone.

/** The document as a JSON value. @param version the application's version */
export function createOpenApiDocument(version: string): object {
  const responses = createResponses(OPERATIONS);
  const paths = pathsOf(OPERATIONS, responses);
  const description: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Network topology service",
      version,
      license: { name: "Apache 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description:
        "Hosts, their interfaces and ports, and the services that run on them. Every response is an envelope: `success`, " +
        "`data` and `meta`, or `success`, `error`, `code`, `params` and `meta`. Success is 200, and 202 for a job. Later versions may " +
        "add members to responses. Every operation declares the statuses it can have, each with its codes and headers.",
    },
    servers: [{ url: "/" }],
    security: SECURITY.any,
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name, description: OPERATION_TAGS[name] })),
    paths,
    components: {
      headers: HEADERS,
      responses: responses.components,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "A user API key." },
        shareSecret: { type: "http", scheme: "bearer", description: "The secret of a share." },
        sessionCookie: { type: "apiKey", in: "cookie", name: "session_id", description: "Set by login." },
      },
    },
  };
  const document = createDocument(description, { override: withoutRedundantKeywords });
  inlineUnsharedResponses(document as never);
  makePortable(document);
  return document;
}

/** Removes keywords that every integer or object would satisfy, and those that forbid new members in later responses. */
const withoutRedundantKeywords: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

function pathsOf(operations: readonly AnyEndpoint[], responses: Responses): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = describe(operation, responses);
  return paths;
}

const REQUEST_HEADERS = {
  match: z.string().optional().describe("An `ETag`: 412 unless it is that of the current state."),
  matchOrPlan: z
    .string()
    .optional()
    .describe("An `ETag` of the resource or of a plan: 412 unless it is still current."),
  matchPlan: z.string().optional().describe("The `etag` of a plan: 412 unless the write does exactly that."),
  noneMatch: z.string().optional().describe("An `ETag`: 304 if it is that of the current state."),
  noneMatchOfWrite: z.string().optional().describe("An `ETag`, or `*`: 412 if it is that of the current state."),
  idempotencyKey: IdempotencyKey.optional().describe(
    "Identifies this write: repeating it within 24 hours returns the first response without a second effect.",
  ),
  requiredKey: IdempotencyKey.describe("Identifies this report: it is taken once, however often it is sent."),
  comment: ChangeCommentHeader.optional().describe("Reason for the change, stored in the change history."),
  prefer: z.enum([RESPOND_ASYNC]).optional().describe("`respond-async`: respond at once with a job."),
  lastEvent: z.string().optional().describe("Id of the last received event; browsers send it automatically."),
};

/** The request headers that have an effect on an operation. */
function headersOf(operation: AnyEndpoint): z.ZodObject {
  const { method, plans = false, streams = false, upstream, keyed = false } = operation;
  const isOne = takesPrecondition(operation);
  const isKeyed = takesIdempotencyKey(operation);
  return z.object({
    ...(method === "get" && hasETag(operation) && { "If-Match": REQUEST_HEADERS.match }),
    ...(canBeUnchanged(operation) && { "If-None-Match": REQUEST_HEADERS.noneMatch }),
    ...(isOne && { "If-Match": plans ? REQUEST_HEADERS.matchOrPlan : REQUEST_HEADERS.match }),
    ...(isOne && { "If-None-Match": REQUEST_HEADERS.noneMatchOfWrite }),
    ...(plans && !isOne && { "If-Match": REQUEST_HEADERS.matchPlan }),
    ...(isKeyed && { "Idempotency-Key": REQUEST_HEADERS[keyed ? "requiredKey" : "idempotencyKey"] }),
    ...(isKeyed && !keyed && upstream === "topology" && { "Change-Comment": REQUEST_HEADERS.comment }),
    ...(operation.accepted !== undefined && { Prefer: REQUEST_HEADERS.prefer }),
    ...(streams && { "Last-Event-ID": REQUEST_HEADERS.lastEvent }),
  });
}

/** The fields by which entities are sorted, such as `HostOrderField`, by their name. */
const ORDER_FIELDS = new Map<string, z.ZodType>();

/** The parameters of an operation; fields to sort by are a type with a name, if there is a choice. */
function queryOf({ list, query, response }: AnyEndpoint): z.ZodObject | undefined {
  const { group_by, order_by } = (query?.shape ?? {}) as Record<string, z.ZodType | undefined>;
  const entity = z.globalRegistry.get(response)?.id;
  if (list !== true || query === undefined || entity === undefined) return query;
  if (!(group_by instanceof z.ZodOptional && order_by instanceof z.ZodOptional)) return query;
  const fields = order_by.unwrap() as z.ZodEnum;
  if (fields.options.length === 1) return query;
  const id = `${entity}OrderField`;
  const named = ORDER_FIELDS.get(id) ?? z.enum(fields.options as string[]).meta({ id });
  ORDER_FIELDS.set(id, named);
  return query.extend({
    group_by: named.optional().describe(group_by.description ?? ""),
    order_by: named.optional().describe(order_by.description ?? ""),
  });
}

function describe(operation: AnyEndpoint, responses: Responses): ZodOpenApiOperationObject {
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...describeRights(operation),
    requestParams: {
      ...(operation.params && { path: operation.params }),
      ...(operation.query && { query: queryOf(operation) }),
      header: headersOf(operation),
    },
    ...describeBody(operation),
    responses: responses.of(operation),
  };
}

const FILE = { type: "string", format: "binary" } as const;

function describeBody(operation: AnyEndpoint): Pick<ZodOpenApiOperationObject, "requestBody"> {
  const { body, upload } = operation;
  if (body === undefined) return {};
  if (upload === undefined)
    return { requestBody: { required: true, content: { [bodyTypesOf(operation)[0]]: { schema: body } } } };
  const { contentTypes, limitBytes, jobLimitBytes, form } = upload;
  const ofJobs =
    jobLimitBytes === undefined ? "" : `; ${jobLimitBytes / 2 ** 20} MiB with \`Prefer: ${RESPOND_ASYNC}\``;
  const size = limitBytes < 2 ** 20 ? `${limitBytes / 2 ** 10} KiB` : `${limitBytes / 2 ** 20} MiB`;
  const others = contentTypes.slice(1).map((type) => `\`${type}\``);
  const also = others.length === 0 ? "" : ` Also accepted as ${others.join(", ")}.`;
  const description = `${upload.description} At most ${size}${ofJobs}.${also}`;
  const content = { [contentTypes[0]]: { schema: form ?? FILE } };
  return { requestBody: { required: true, description, content } };
}

const SECURITY: Record<AnyEndpoint["credential"], Record<string, string[]>[]> = {
  any: [{ apiKey: [] }, { sessionCookie: [] }],
  session: [{ sessionCookie: [] }],
  optional: [{ sessionCookie: [] }, {}],
  share: [{ shareSecret: [] }],
  none: [],
  process: [],
};

function describeRights({ credential, permission, wholeOrganization, description }: AnyEndpoint) {
  const level = permission === null ? [] : [`Requires \`${permission}\`.`];
  const isForKeys = wholeOrganization === true && credential === "any";
  const scope = isForKeys ? ["Not allowed for API keys restricted to networks."] : [];
  const sentences = [...(description === undefined ? [] : [description]), ...level, ...scope];
  return {
    ...(sentences.length > 0 && { description: sentences.join(" ") }),
    // The most common security is declared once for the document.
    ...(credential !== "any" && { security: SECURITY[credential] }),
  };
}

/** The text of the committed document. */
export function openApiText(version: string): string {
  return `${linesOf(createOpenApiDocument(version))}\n`;
}

/** Long enough for a type or operation per line, which saves indentation and keeps diffs readable. */
const LINE_LENGTH = 2_000;

/** JSON with everything that fits on one line. */
function linesOf(value: unknown, indent = ""): string {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= LINE_LENGTH) return line;
  const deeper = `${indent} `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((element) => linesOf(element, deeper))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${linesOf(member, deeper)}`);
  return `${open}\n${members.map((member) => deeper + member).join(",\n")}\n${indent}${close}`;
}
