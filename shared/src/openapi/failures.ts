import { putUnder } from "../groups.js";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "../contract/index.js";
import { getHealth, Version } from "../contract/system.js";
import { creates, takesIdempotencyKey, takesPrecondition } from "../contract/writes.js";
import { ERRORS, type ErrorCode } from "../errors.js";
import { STATUSES } from "../http/statuses.js";

// Failures in the OpenAPI document: operations declare their own codes, and others follow from an operation's form.

interface Form {
  /** Which operations have this form. */
  readonly has: (operation: AnyEndpoint) => boolean;
  /** The codes that each of them can return. */
  readonly codes: readonly ErrorCode[];
}

const FORMS: readonly Form[] = [
  { has: () => true, codes: ["malformed_request", "validation_failed", "internal_error", "unavailable"] },
  { has: isRateLimited, codes: ["rate_limited"] },
  {
    has: ({ upstream }) => upstream !== "gateway",
    codes: ["payload_too_large", "too_many_in_flight", "storage_overloaded", "upstream_failed", "upstream_timeout"],
  },
  {
    has: isAuthenticated,
    codes: [
      "not_authenticated",
      "session_expired",
      "second_factor_required",
      "api_key_invalid",
      "api_key_expired",
      "api_key_disabled",
      "api_access_disabled",
      "address_not_allowed",
      "csrf_rejected",
    ],
  },
  { has: ({ credential }) => credential === "session", codes: ["session_required"] },
  { has: ({ credential }) => credential === "share", codes: ["share_ended", "permission_denied"] },
  { has: ({ confirmed }) => confirmed === true, codes: ["confirmation_required"] },
  { has: ({ streams }) => streams === true, codes: ["too_many_streams"] },
  { has: ({ permission }) => permission !== null, codes: ["permission_denied"] },
  { has: ({ body }) => body !== undefined, codes: ["unsupported_media_type"] },
  { has: ({ body, upload }) => body !== undefined && upload === undefined, codes: ["malformed_json"] },
  { has: ({ list }) => list === true, codes: ["cursor_invalid"] },
  { has: takesIdempotencyKey, codes: ["idempotency_in_progress", "idempotency_mismatch", "quota_exceeded"] },
  { has: ({ showsSecret }) => showsSecret === true, codes: ["secret_shown_once"] },
  { has: takesConditions, codes: ["precondition_failed"] },
];

/** Reads, writes to a single entity, creates, and writes that accept a plan. */
function takesConditions(operation: AnyEndpoint): boolean {
  if (operation.upstream === "gateway" || operation.credential === "process") return false;
  return operation.method === "get" || operation.plans === true || creates(operation) || takesPrecondition(operation);
}

/** The health check is exempt. */
export function isRateLimited({ operationId }: AnyEndpoint): boolean {
  return operationId !== getHealth.operationId;
}

function isAuthenticated({ credential }: AnyEndpoint): boolean {
  return credential === "any" || credential === "session" || credential === "share";
}

/** All codes that an operation can return: its own, and those of its form. */
export function codesOf(operation: AnyEndpoint): ErrorCode[] {
  const codes = FORMS.filter(({ has }) => has(operation)).flatMap((form) => form.codes);
  return [...new Set([...codes, ...operation.errors])].sort();
}

/** The codes of an operation, by status. */
export function codesByStatus(operation: AnyEndpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(operation)) putUnder(byStatus, STATUSES[code], code);
  return byStatus;
}

const Failure = z
  .object({
    success: z.literal(false),
    error: z.string().describe("Human-readable message."),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).meta({ id: "ErrorCode" }),
    params: z.record(z.string(), z.unknown()).describe("Details of the code."),
    meta: Version.extend({ request_id: z.string() }).meta({ id: "FailureMeta" }),
  })
  .meta({ id: "Failure" });

/** A failure with one of the given codes. */
export function failureWith(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return failure(codes.map((code) => `- \`${code}\`: ${ERRORS[code]}`).join("\n"));
}

/** Failures of requests that reach no operation, which can come instead of any response. */
export const OTHER_FAILURE = failure(
  "Any other failure: 408 `malformed_request` if the request was sent too slowly, 431 `malformed_request` if its headers are too large.",
);

function failure(description: string): ZodOpenApiResponseObject {
  return { description, content: { "application/json": { schema: Failure } } };
}
