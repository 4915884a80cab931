import { z } from "zod";
import { Id, text } from "./common.js";
import type { AnyEndpoint } from "./endpoint.js";

// Common to all writes: dry runs, plans and idempotent retries. @see docs/writing-safely.md

/** The request header that identifies a write, so that a retry gets the original response. */
export const IDEMPOTENCY_KEY = "idempotency-key";

/** Response header of a replayed response. */
export const IDEMPOTENCY_REPLAYED = "idempotency-replayed";

/** Hours for which idempotency keys are retained. */
export const REMEMBERED_HOURS = 24;

/** Default limit of idempotency keys per user and day. */
export const DEFAULT_MAX_IDEMPOTENCY_KEYS = 100_000;

/** Maximum bytes of a stored response; for a larger one, a retry returns the current state of the entity. */
export const REMEMBERED_BYTES = 16_384;

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
  .meta({ examples: ["9d3f1c52-deploy-nas"] });

/** The request header with the reason for a change, recorded in the journal. */
export const CHANGE_COMMENT = "change-comment";

export const CHANGE_COMMENT_LENGTH = 200;

export const ChangeComment = text(0, CHANGE_COMMENT_LENGTH);

/** {@link ChangeComment} as a header value, which is already trimmed. */
export const ChangeCommentHeader = z
  .string()
  .max(CHANGE_COMMENT_LENGTH)
  .regex(
    // oxlint-disable-next-line no-control-regex -- matches their absence
    /^(?:[^\u0000-\u001f\u007f-\u009f\s\ufeff](?:[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u001f\u007f-\u009f\s\ufeff])?)?$/,
  )
  .meta({ examples: ["moved to the new rack"] });

/** Maximum changes listed in a plan. */
export const PLANNED_CHANGES = 1_000;

/** Maximum bytes of the values in a plan. */
export const PLANNED_BYTES = 262_144;

const FieldChange = z
  .object({ before: z.unknown().optional(), after: z.unknown().optional() })
  .meta({ id: "FieldChange" });

const PlannedChange = z
  .object({
    action: z.enum(["create", "update", "delete"]).meta({ id: "PlannedAction" }),
    entity: z.string().describe("Kind of entity, such as `Service`."),
    id: Id.describe("Provisional for a new entity."),
    name: z
      .string()
      .describe(
        "Present name of the entity; the address, or number and protocol, if it has none. Empty for a binding.",
      ),
    fields: z.record(z.string(), FieldChange).describe("Changes by member; empty for a deletion."),
  })
  .meta({ id: "PlannedChange" });
export type PlannedChange = z.infer<typeof PlannedChange>;

const PlannedRemovedBinding = z
  .object({
    service: z.int().optional().describe("For a new host: index of the service in the request."),
    index: z.int().describe("Index in the request."),
    reason: z.enum(["duplicate", "covered_by_all_interfaces"]).meta({ id: "RemovedBindingReason" }),
    kept_index: z.int().describe("Index of the binding that is kept."),
  })
  .meta({ id: "PlannedRemovedBinding" });
export type PlannedRemovedBinding = z.infer<typeof PlannedRemovedBinding>;

/** What stops with what is deleted, like the counts of an impact. */
export const PlannedImpact = z
  .object({
    hosts: z.int(),
    services: z.int().describe("Also those on deleted hosts."),
    processes: z.int(),
    complete: z.boolean().describe("False if there is more than is followed."),
  })
  .meta({ id: "PlannedImpact" });
export type PlannedImpact = z.infer<typeof PlannedImpact>;

/** Prefix of a plan's ETag, which no revision has. */
export const PLAN_TAG = "plan-";

/** The changes that a write makes or would make. @see docs/writing-safely.md */
export const Plan = z
  .object({
    action: z.enum(["create", "update", "delete", "none"]).meta({ id: "PlanAction" }),
    changes: z.array(PlannedChange).describe("In order of execution."),
    truncated: z.boolean().describe("True if there are more changes than are listed."),
    removed_bindings: z.array(PlannedRemovedBinding).describe("Redundant bindings of the request."),
    cascades: z
      .record(z.string(), z.int())
      .describe("Number of dependent entities deleted, or losing a deleted tag, by kind."),
    impact: PlannedImpact.optional().describe("Of a dry-run deletion of hosts or services. Not part of the `etag`."),
    etag: z.string().describe("Send as `If-Match` so that the write does exactly this or fails with 412."),
  })
  .meta({ id: "Plan" });
export type Plan = z.infer<typeof Plan>;

/** Shared members of writes that support a {@link Plan}. */
export const planned = {
  plans: true,
  query: z.strictObject({
    dry_run: z
      .boolean()
      .default(false)
      .describe("Validate and report without writing; the response is that of the write."),
    explain: z.boolean().default(false).describe("Add the changes to the response as `meta.plan`."),
  }),
} as const;

/** True for operations on a single entity, which accept its revision in `If-Match` and `If-None-Match`. */
export function takesPrecondition({ method, errors }: AnyEndpoint): boolean {
  return method !== "get" && errors.includes("precondition_failed");
}

/** True for operations whose response is a single resource, or has a state that can be compared like one. */
export function hasETag({ response, list, etag = false }: AnyEndpoint): boolean {
  return etag || (list !== true && response instanceof z.ZodObject && "updated_at" in response.shape);
}

/** True for reads that are 304 for a client that has the current state. */
export function canBeUnchanged(operation: AnyEndpoint): boolean {
  return operation.method === "get" && hasETag(operation) && operation.isVolatile !== true;
}

/** True for operations that create an entity. */
export function creates({ operationId }: AnyEndpoint): boolean {
  return operationId.startsWith("create_");
}

/** True for operations that accept an idempotency key. */
export function takesIdempotencyKey({ method, path, upload, upstream, keyed }: AnyEndpoint): boolean {
  const isImport = upload !== undefined && keyed !== true;
  return method !== "get" && upstream !== "gateway" && !isImport && path.startsWith("/api/v1/");
}
