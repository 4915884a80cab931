import { z } from "zod";
import "./fault-texts.js";
import { PERMISSIONS } from "./endpoint.js";
import { distinctTags } from "./folding.rules.js";
import { textFault, visibilityFault } from "./formats.js";
import { canonicalId, isId } from "./id-notation.rules.js";
import { IPV6_PATTERN } from "./ip-notation.js";
import { MOST_TAGS } from "./sizes.js";

export { canonicalId, isId, MOST_TAGS };

export const ID_FAULT = "must be a UUID";

/** An identifier: accepted in any UUID notation, returned in lower case with hyphens. */
export const Id = z
  .string()
  .overwrite(canonicalId)
  .refine(isId, ID_FAULT)
  .meta({ id: "Uuid", format: "uuid", examples: ["01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f"] });

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z
  .string()
  .meta({ id: "Timestamp", format: "date-time", examples: ["2026-01-31T09:30:00.000Z"] });

const Ipv4Address = z.ipv4();
const Ipv6Address = z.ipv6().meta({ pattern: IPV6_PATTERN });
export const IpAddress = z
  .union([Ipv4Address, Ipv6Address], { error: "must be an IPv4 or IPv6 address" })
  .meta({ id: "IpAddress" });

/** An integer of any size; clients that parse numbers as doubles lose precision above 2^53. */
export const Amount = z.number().meta({ override: { type: "integer", minimum: 0 } });

/** ISO 8601 in any time zone. */
export const Instant = z.iso
  .datetime({ offset: true })
  .refine(isFourDigitYear, "must be between the years 0 and 9999 in UTC")
  .meta({ id: "Instant" });

function isFourDigitYear(moment: string): boolean {
  const ms = Date.parse(moment);
  return Number.isNaN(ms) || /^\d/.test(new Date(ms).toISOString());
}

// Equivalents of the checks for OpenAPI, where `\p` is not portable. White space at the ends is trimmed before validation.
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const VERBATIM_PATTERN = `^[^${CONTROL}]*$`;
const TRIMMED_PATTERN = `^[\\t-\\r ]*[^${CONTROL}]*[\\t-\\r ]*$`;
const VISIBLE_PATTERN = `^[\\t-\\r ]*[^${CONTROL}]*[^${CONTROL}\\s\\ufeff][^${CONTROL}]*[\\t-\\r ]*$`;
// The usual ones: those of other planes have no portable escape.
const INVISIBLE =
  "\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb";
const ENDS = "[\\s\\u2028\\u2029\\ufeff]*";
const IN_LABEL = `[^${CONTROL}${INVISIBLE}]*`;
const LABEL = `${IN_LABEL}[^${CONTROL}${INVISIBLE}\\s\\u200c\\u200d\\u2800\\ufe00-\\ufe0f]${IN_LABEL}`;

/** Text of `min` to `max` characters (code points) without control characters, not trimmed. */
export function verbatimText(min: number, max: number, base: z.ZodString = z.string()): z.ZodString {
  return base
    .check((ctx) => {
      const fault = textFault(ctx.value, min, max);
      if (fault !== null) ctx.issues.push({ code: "custom", message: fault, input: ctx.value });
    })
    .meta({ minLength: min, maxLength: max, pattern: VERBATIM_PATTERN });
}

/** Cached by length: there are few, and each has its checks. */
const texts = new Map<string, z.ZodString>();

/** {@link verbatimText}, trimmed. */
export function text(min: number, max: number): z.ZodString {
  const id = `Text${min}To${max}`;
  const known = texts.get(id);
  if (known !== undefined) return known;
  const pattern = min === 0 ? TRIMMED_PATTERN : VISIBLE_PATTERN;
  const schema = verbatimText(min, max, z.string().trim()).meta({ minLength: min, maxLength: max, pattern });
  texts.set(id, schema);
  return schema;
}

/**
 * Parameter of an error of a rule that is younger than stored texts. An update accepts such a text if it is stored.
 *
 * @see UpdateValidator
 */
export const UNLESS_STORED = "unless_stored";

/** Reports a fault of a rule that is younger than stored texts. */
export function reportUnlessStored(ctx: z.core.ParsePayload<string>, message: string | null): void {
  if (message === null) return;
  ctx.issues.push({
    code: "custom",
    message,
    input: ctx.value,
    continue: true,
    params: { [UNLESS_STORED]: ctx.value },
  });
}

const labels = new Map<string, z.ZodString>();

/** {@link text} by which people tell things apart: without invisible characters, and with a visible one unless it is empty. */
export function label(min: number, max: number): z.ZodString {
  const id = `Label${min}To${max}`;
  const known = labels.get(id);
  if (known !== undefined) return known;
  const pattern = `^${ENDS}${min === 0 ? `(?:${LABEL})?` : LABEL}${ENDS}$`;
  const schema = text(min, max)
    .check((ctx) => reportUnlessStored(ctx, visibilityFault(ctx.value)))
    .meta({ minLength: min, maxLength: max, pattern });
  labels.set(id, schema);
  return schema;
}

export const Name = label(1, 100);
export const Description = text(0, 500);

/** Tags of an entity: ids of managed tags, or free labels. Duplicates are removed. */
export const Tags = z
  .array(label(1, 50).overwrite(canonicalId))
  .max(MOST_TAGS)
  .overwrite(distinctTags)
  .meta({ id: "Tags" });

/** Where an entity came from; set by the server. @see docs/api.md "Resources" */
export const Source = z.object({ type: z.string() }).meta({ id: "Source" });
export type Source = z.infer<typeof Source>;

/** A {@link Source} sent back by a client; ignored. */
export const EchoedSource = z.object({ type: z.string() }).meta({ id: "EchoedSource" });

export const VIRTUALIZATION_LIMIT_BYTES = 16_384;

/** Arbitrary JSON; only its size and numbers are validated. */
const Details = z
  .custom<Readonly<Record<string, unknown>>>(isObject, "must be an object")
  .meta({ override: { type: "object", additionalProperties: true } });

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Why arbitrary JSON is rejected, or null. The size is checked first. */
function detailsFault(details: unknown): string | null {
  const text = JSON.stringify(details);
  const isLarge =
    text.length > VIRTUALIZATION_LIMIT_BYTES ||
    (text.length * 3 > VIRTUALIZATION_LIMIT_BYTES &&
      new TextEncoder().encode(text).length > VIRTUALIZATION_LIMIT_BYTES);
  if (isLarge) return "must not exceed 16 KiB as JSON";
  return hasInfinity(details) ? "must not contain numbers out of range" : null;
}

/** A number such as 1e999 is valid JSON but parses to Infinity, which cannot be serialized. */
function hasInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasInfinity);
}

/** How a host or service is virtualized, for example as a container; `details` is arbitrary JSON. */
export const Virtualization = z
  .object({
    type: label(1, 50),
    details: Details.check(({ value, issues }) => {
      const message = isObject(value) ? detailsFault(value) : null;
      if (message !== null) issues.push({ code: "custom", message, input: value });
    }).default({}),
  })
  .meta({ id: "VirtualizationInput" });

/** {@link Virtualization} in a response. */
export const VirtualizationResponse = z.object({ type: z.string(), details: Details }).meta({ id: "Virtualization" });
export type Virtualization = z.infer<typeof VirtualizationResponse>;

/** The most runners by which a list is filtered at once. */
export const MOST_RUNNERS = 100;

/** Filters of lists of what can run on something. */
export const runnerFilter = {
  runs_on: z
    .array(Id)
    .max(MOST_RUNNERS)
    .default([])
    .describe(
      "Only what runs on one of these hosts or services, as `host_id` or `service_id` in `virtualization.details`.",
    ),
};

/** Failures of operations that add something of which an organization may have a limited number. */
export const QUOTA_ERRORS = ["quota_exceeded", "owner_unverified"] as const;

export const PermissionLevel = z.enum(PERMISSIONS).meta({ id: "PermissionLevel" });

/** Members of every entity that the server sets. */
export const serverFields = { id: Id, created_at: Timestamp, updated_at: Timestamp };

/** Path parameter of operations on a single entity. */
export const byId = z.object({ id: Id });

/** Response data of a deletion. */
export const Nothing = z.null();

/** Ids of what is written together. Duplicates are removed. */
export const BulkIds = z
  .array(Id)
  .min(1)
  .max(1000)
  .overwrite((ids) => [...new Set(ids)]);

export const BulkDelete = BulkIds.meta({ id: "BulkDelete" });

export const BulkDeleted = z.object({ deleted_count: z.int(), requested_count: z.int() }).meta({ id: "BulkDeleted" });

/** Maximum characters of a cursor: it encodes two sort keys, each character as up to six digits. */
export const CURSOR_LIMIT = 4_096;

const Cursor = z
  .string()
  .max(CURSOR_LIMIT)
  .regex(/^[\w-]+$/, "is not a cursor")
  .describe(
    "Continues after the page that returned it as `meta.pagination.next`. Requires the same filters and order, and no `offset`. " +
      "Takes constant time for each page, and neither skips nor repeats entities that do not move.",
  );

export const OrderDirection = z.enum(["asc", "desc"]).meta({ id: "OrderDirection" });

/**
 * Parameters of every list, all optional.
 *
 * @param fields the sortable fields, the default first
 * @param order what is to be known of them
 * @see docs/api.md "Lists"
 */
export function listQuery<const Field extends string, Filters extends z.ZodRawShape>(
  fields: readonly [Field, ...Field[]],
  filters: Filters,
  order = "",
) {
  return z.strictObject({
    ...filters,
    group_by: z.enum(fields).optional().describe("Primary sort key, always ascending."),
    order_by: z.enum(fields).optional().describe(`Sort key, within groups if any. Default \`${fields[0]}\`.${order}`),
    order_direction: OrderDirection.default("asc").describe("Direction of `order_by` only."),
    limit: z.int().min(0).max(1000).default(50).describe("Page size; 0 means no limit."),
    offset: z.int().min(0).max(2_147_483_647).default(0).describe("Entities to skip."),
    cursor: Cursor.optional(),
  });
}

/** What is to be known of lists by `natural_name`. */
export const NATURAL_ORDER = " By `natural_name`, `Box 2` comes between `box 1` and `box 10`.";

/** Substring search; each list documents the searched fields. */
export const SearchPart = text(1, 100).optional();

/** Filters that many lists share. */
export const filters = {
  network_id: Id.optional().describe("Only entities of this network."),
  ids: z.array(Id).max(1000).default([]).describe("Only these entities."),
  tag_ids: z
    .array(text(1, 50).overwrite(canonicalId))
    .max(50)
    .default([])
    .describe("Only entities with any of these tags (ids of managed tags, or labels; a comma in a label is `\\,`)."),
};
