import { z } from "zod";
import { Id, text } from "./common.js";
import type { AnyEndpoint } from "./endpoint.js";

// What all writes have in common: they can be tried without effect, and be repeated without a second effect.

/** The request header that names a write, so that a repeat of it is answered as the first time. */
export const IDEMPOTENCY_KEY = "idempotency-key";

/** Set on an answer that was given before. */
export const IDEMPOTENCY_REPLAYED = "idempotency-replayed";

/** Hours for which a write is remembered under its idempotency key. */
export const REMEMBERED_HOURS = 24;

/** Idempotency keys that a user may use a day, unless it is set otherwise. */
export const DEFAULT_MAX_IDEMPOTENCY_KEYS = 100_000;

/** Bytes of an answer that is remembered as it was; of a larger one, a repeat shows the entity as it is by then. */
export const REMEMBERED_BYTES = 16_384;

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
  .meta({ examples: ["9d3f1c52-deploy-nas"] });

/** The request header that says why something is changed; the journal keeps it. */
export const CHANGE_COMMENT = "change-comment";

/** Characters of a comment. */
export const CHANGE_COMMENT_LENGTH = 200;

export const ChangeComment = text(0, CHANGE_COMMENT_LENGTH);

/** The same as a header, which has no white space around it. */
export const ChangeCommentHeader = z
  .string()
  .max(CHANGE_COMMENT_LENGTH)
  .regex(
    // oxlint-disable-next-line no-control-regex -- it says that there are none
    /^(?:[^\u0000-\u001f\u007f-\u009f\s\ufeff](?:[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u001f\u007f-\u009f\s\ufeff])?)?$/,
  )
  .meta({ examples: ["moved to the new rack"] });

/** Changes that a plan lists. */
export const PLANNED_CHANGES = 1_000;

/** Bytes of the values that a plan shows. */
export const PLANNED_BYTES = 262_144;

const FieldChange = z
  .object({ before: z.unknown().optional(), after: z.unknown().optional() })
  .meta({ id: "FieldChange" });

const PlannedChange = z
  .object({
    action: z.enum(["create", "update", "delete"]),
    entity: z.string().describe("The kind, such as `Service`."),
    id: Id.describe("That of something new is provisional."),
    fields: z.record(z.string(), FieldChange).describe("What changes, by member; empty for a deletion."),
  })
  .meta({ id: "PlannedChange" });
export type PlannedChange = z.infer<typeof PlannedChange>;

const PlannedRemovedBinding = z
  .object({
    service: z.int().optional().describe("Of a new host: the place of the service in the request."),
    index: z.int().describe("Its place in the request."),
    reason: z.enum(["duplicate", "covered_by_all_interfaces"]),
    kept_index: z.int().describe("The place of the binding that stays."),
  })
  .meta({ id: "PlannedRemovedBinding" });
export type PlannedRemovedBinding = z.infer<typeof PlannedRemovedBinding>;

/** What a write changes, or would change. @see docs/writing-safely.md */
export const Plan = z
  .object({
    action: z.enum(["create", "update", "delete", "none"]),
    changes: z.array(PlannedChange).describe("In the order in which they are made."),
    truncated: z.boolean().describe("There are more changes than are listed."),
    removed_bindings: z.array(PlannedRemovedBinding).describe("Bindings of the request that say nothing of their own."),
    cascades: z
      .record(z.string(), z.int())
      .describe("How many entities are deleted along with what was named, or lose a deleted tag, by kind."),
    etag: z.string().describe("As `If-Match`, makes the write do exactly this, or fail with 412."),
  })
  .meta({ id: "Plan" });
export type Plan = z.infer<typeof Plan>;

/** What the members of a write that {@link Plan plans} begin with. */
export const planned = {
  plans: true,
  query: z.strictObject({
    dry_run: z.boolean().default(false).describe("Does everything but keep it: answers as the write would."),
    explain: z.boolean().default(false).describe("Adds what the write changes to its answer, as `meta.plan`."),
  }),
} as const;

/** True for operations that can be repeated under an idempotency key. */
export function takesIdempotencyKey({ method, path, upload, upstream }: AnyEndpoint): boolean {
  return method !== "get" && upstream !== "gateway" && upload === undefined && path.startsWith("/api/v1/");
}
