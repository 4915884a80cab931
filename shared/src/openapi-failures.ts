import { putUnder } from "./groups.js";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { AnyEndpoint } from "./contract/index.js";
import { Version } from "./contract/system.js";
import { creates, takesIdempotencyKey, takesPrecondition } from "./contract/writes.js";
import { ERRORS, type ErrorCode } from "./errors.js";
import { STATUSES } from "./http/statuses.js";

// Failures in the OpenAPI document. Codes that follow from an operation's form are described once, in the response
// `default` of every operation; operations list only their own codes.

interface Form {
  /** Which operations have this form. */
  readonly name: string;
  readonly has: (operation: AnyEndpoint) => boolean;
  /** The codes that each of them can return. */
  readonly codes: readonly ErrorCode[];
}

/** The operations that list a code. */
const listing = (name: string, code: ErrorCode): Form => ({
  name,
  has: ({ errors }) => errors.includes(code),
  codes: [code],
});

const FORMS: readonly Form[] = [
  { name: "Every operation", has: () => true, codes: ["malformed_request", "validation_failed", "rate_limited", "internal_error", "unavailable"] }, // prettier-ignore
  { name: "Every operation but those of the gateway itself", has: ({ upstream }) => upstream !== "gateway", codes: ["payload_too_large", "too_many_in_flight", "upstream_failed", "upstream_timeout"] }, // prettier-ignore
  { name: "With credentials", has: isAuthenticated, codes: ["not_authenticated", "session_expired", "second_factor_required", "api_key_invalid", "api_key_expired", "api_key_disabled", "api_access_disabled", "address_not_allowed"] }, // prettier-ignore
  { name: "With a session cookie", has: (operation) => isAuthenticated(operation) || operation.errors.includes("csrf_rejected"), codes: ["csrf_rejected"] }, // prettier-ignore
  { name: "With sessions only", has: ({ credential }) => credential === "session", codes: ["session_required"] },
  { name: "With a required permission", has: ({ permission }) => permission !== null, codes: ["permission_denied"] },
  { name: "With a body", has: ({ body }) => body !== undefined, codes: ["unsupported_media_type"] },
  { name: "With a JSON body", has: ({ body, upload }) => body !== undefined && upload === undefined, codes: ["malformed_json"] }, // prettier-ignore
  listing("With a password or a code", "login_throttled"),
  { name: "In a session that must be confirmed", has: ({ confirmed, errors }) => confirmed === true || errors.includes("confirmation_required"), codes: ["confirmation_required"] }, // prettier-ignore
  listing("Registration", "registration_throttled"),
  listing("With an email to send", "mail_throttled"),
  { name: "Streams", has: ({ streams }) => streams === true, codes: ["too_many_streams"] },
  listing("With ids of resources", "not_found"),
  { name: "Lists", has: ({ list }) => list === true, codes: ["cursor_invalid"] },
  listing("With a position in the change history (`as_of`, `after`, `from`)", "changes_gone"),
  listing("Reads of past states, and operations on many resources", "too_many_changes"),
  listing("Writes with references to other resources", "invalid_reference"),
  listing("Writes", "write_conflict"),
  { name: "With `Idempotency-Key`", has: takesIdempotencyKey, codes: ["idempotency_in_progress", "idempotency_mismatch", "quota_exceeded"] }, // prettier-ignore
  { name: "Creates with a maximum number", has: ({ errors }) => errors.includes("quota_exceeded"), codes: ["owner_unverified"] }, // prettier-ignore
  { name: "With a secret in the response", has: ({ showsSecret }) => showsSecret === true, codes: ["secret_shown_once"] }, // prettier-ignore
  { name: "With `If-Match` or `If-None-Match`", has: takesConditions, codes: ["precondition_failed"] },
];

/** Reads, writes to a single entity, creates, and writes that accept a plan. */
function takesConditions(operation: AnyEndpoint): boolean {
  if (operation.upstream === "gateway" || operation.credential === "process") return false;
  return operation.method === "get" || operation.plans === true || creates(operation) || takesPrecondition(operation);
}

const FOLLOWING_FROM_FORM: ReadonlySet<ErrorCode> = new Set(FORMS.flatMap(({ codes }) => codes));

function isAuthenticated({ credential }: AnyEndpoint): boolean {
  return credential === "any" || credential === "session";
}

/** All codes that an operation can return: its own, and those of its form. */
export function codesOf(operation: AnyEndpoint): ErrorCode[] {
  const codes = FORMS.filter(({ has }) => has(operation)).flatMap((form) => form.codes);
  return [...new Set([...codes, ...operation.errors])].sort();
}

/** The response that all operations reference. */
export const DEFAULT_FAILURE = "Failed";

/** The operation's own codes, by status. */
export function ownCodesOf({ errors }: AnyEndpoint): ReadonlyMap<string, readonly ErrorCode[]> {
  const byStatus = new Map<string, ErrorCode[]>();
  for (const code of [...errors].sort())
    if (!FOLLOWING_FROM_FORM.has(code)) putUnder(byStatus, String(STATUSES[code]), code);
  return byStatus;
}

const Failure = z
  .object({
    success: z.literal(false),
    error: z.string().describe("Human-readable message."),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    params: z.record(z.string(), z.unknown()).describe("Details of the code."),
    meta: Version.extend({ request_id: z.string() }).meta({ id: "FailureMeta" }),
  })
  .meta({ id: "Failure" });

/** A failure with one of the given codes, or with one of `default`, which also describes the headers. */
export function failureWith(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return failure(codes.map((code) => `\`${code}\`: ${ERRORS[code]}`));
}

/** The failure for all statuses that an operation does not list. */
export function defaultFailure(headers: ZodOpenApiResponseObject["headers"]): ZodOpenApiResponseObject {
  const sentences = FORMS.map(({ name, codes }) =>
    [`${name}:`, ...codes.map((code) => `- ${STATUSES[code]} \`${code}\`: ${ERRORS[code]}`)].join("\n"),
  );
  return { ...failure([...sentences, UNREADABLE]), headers };
}

/** Statuses of unreadable requests besides 400. */
const UNREADABLE = "`malformed_request` also has the statuses 408 (sent too slowly) and 431 (headers too large).";

function failure(sentences: readonly string[]): ZodOpenApiResponseObject {
  return { description: sentences.join("\n\n"), content: { "application/json": { schema: Failure } } };
}
