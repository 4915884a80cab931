import { z } from "zod";
import {
  byId,
  canonicalId,
  filters,
  Id,
  listQuery,
  Nothing,
  QUOTA_ERRORS,
  serverFields,
  text,
  Timestamp,
} from "./common.js";
import { Actor, ChangeAction, ChangeCursor, ChangedEntity } from "./changes.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";

// Changes are sent to URLs of the organization's choice. @see docs/webhooks.md

export const WEBHOOK_FORMATS = ["standard", "slack", "discord", "ntfy"] as const;
export const WebhookFormat = z.enum(WEBHOOK_FORMATS).meta({ id: "WebhookFormat" });
export type WebhookFormat = z.infer<typeof WebhookFormat>;

const URL_LENGTH = 2_000;
/** Maximum batching delay in seconds. */
const LONGEST_BATCH_SECONDS = 3_600;
/** Deliveries retained per webhook. */
export const REMEMBERED_DELIVERIES = 100;

/** Why a URL is rejected regardless of where it points, or null. */
function urlFault(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be a URL that begins with https://";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  return url.hash === "" && !given.includes("#") ? null : "must not have a fragment";
}

/** A normalized URL, in which hosts such as `0x7f.1` are resolved to the address they mean. */
const WebhookUrl = z
  .string()
  .max(URL_LENGTH)
  .overwrite((given) => (URL.canParse(given) ? new URL(given).href : given))
  .check(({ value, issues }) => {
    const message = urlFault(value);
    if (message !== null) issues.push({ code: "custom", message, input: value });
  })
  .meta({ format: "uri", maxLength: URL_LENGTH, examples: ["https://example.com/hooks/topology"] });

/** Selects the changes to send; an empty list matches everything. */
const WebhookFilter = z
  .object({
    network_ids: z.array(Id).describe("Only entities of these networks; excludes changes of tags themselves."),
    entities: z.array(ChangedEntity),
    actions: z.array(ChangeAction),
    tag_ids: z
      .array(z.string())
      .describe("Only entities with any of these tags before or after the change (ids of managed tags, or labels)."),
    known: z
      .boolean()
      .nullable()
      .describe("False: only hosts that nobody knows yet; true: only known ones; null: everything."),
  })
  .meta({ id: "WebhookFilter" });
export type WebhookFilter = z.infer<typeof WebhookFilter>;

/** Removes duplicates, keeping the order. */
const once = <T>(items: readonly T[]): T[] => [...new Set(items)];

const WebhookFilterInput = z
  .object({
    network_ids: z.array(Id).max(100).overwrite(once).default([]),
    entities: z.array(ChangedEntity).max(10).overwrite(once).default([]),
    actions: z.array(ChangeAction).max(10).overwrite(once).default([]),
    tag_ids: z.array(text(1, 50).overwrite(canonicalId)).max(50).overwrite(once).default([]),
    known: z.boolean().nullable().default(null),
  })
  .meta({ id: "WebhookFilterInput" });

export const Webhook = z
  .object({
    ...serverFields,
    organization_id: Id,
    url: z.string(),
    filter: WebhookFilter,
    format: WebhookFormat,
    batch_seconds: z.int(),
    created_by: Actor.describe("Who created it, or last changed its `url` or resumed it."),
    is_enabled: z.boolean().describe("False: nothing is sent; pending changes are sent after it is enabled again."),
    paused: z
      .object({ at: Timestamp, reason: z.string() })
      .meta({ id: "WebhookPause" })
      .nullable()
      .describe("Why the server disabled the webhook; null if it did not. Enabling it resumes where it stopped."),
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookInput = z
  .object({
    url: WebhookUrl.describe("`https` and a public address, unless the operator allows others."),
    filter: WebhookFilterInput.optional().describe("The changes to send; default all."),
    format: WebhookFormat.optional().describe("Default `standard`; the others are human-readable messages."),
    batch_seconds: z
      .int()
      .min(0)
      .max(LONGEST_BATCH_SECONDS)
      .optional()
      .describe("Seconds to collect changes before sending them in one message. Default 0: one message per change."),
    is_enabled: z.boolean().optional().describe("Default true."),
  })
  .meta({ id: "WebhookInput" });
export type WebhookInput = z.infer<typeof WebhookInput>;

/** Why a delivery failed. */
export const WEBHOOK_FAULTS = {
  no_address: "The host name does not resolve to an allowed address.",
  no_connection: "The connection could not be established.",
  tls_failed: "The receiver's certificate is not valid for this name.",
  timeout: "The receiver did not respond in time.",
  broken_answer: "The receiver's response could not be read.",
  refused: "The receiver responded with a status other than 2xx.",
} as const;
export type WebhookFault = keyof typeof WEBHOOK_FAULTS;

export const WebhookDelivery = z
  .object({
    id: z.string().describe("The `webhook-id` header; the same for all attempts."),
    at: Timestamp,
    kind: z.enum(["changes", "test"]).meta({ id: "WebhookDeliveryKind" }),
    changes: z.int().describe("Number of changes in the message."),
    cursor: z.string().nullable().describe("Cursor of the last change in the message."),
    attempt: z.int().describe("Starts at 1."),
    outcome: z.enum(["delivered", "failed"]).meta({ id: "WebhookOutcome" }),
    status: z.int().nullable().describe("HTTP status of the response; null if there was none."),
    error: z
      .enum(Object.keys(WEBHOOK_FAULTS) as [WebhookFault, ...WebhookFault[]])
      .meta({ id: "WebhookFault" })
      .nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookProgress = z
  .object({
    webhook_id: Id,
    cursor: ChangeCursor.describe("Changes up to this one are delivered, or do not match the filter."),
    failing_since: Timestamp.nullable().describe("When the next message first failed; null while deliveries succeed."),
    attempts: z.int().describe("Failed attempts of the next message."),
    delivered_at: Timestamp.nullable().describe("When a message was last delivered; null if none was."),
  })
  .meta({ id: "WebhookProgress" });
export type WebhookProgress = z.infer<typeof WebhookProgress>;

/** The webhooks that somebody made who loses access. */
export const MadeWebhooks = z
  .object({
    webhooks: z.array(
      z
        .object({ id: Id, host: z.string().describe("Of its URL."), is_paused: z.boolean() })
        .meta({ id: "MadeWebhook" }),
    ),
  })
  .meta({ id: "MadeWebhooks" })
  .nullable()
  .describe("The webhooks made by the removed user or key; null if there are none, or they could not be read.");
export type MadeWebhooks = z.infer<typeof MadeWebhooks>;

/** The query of operations that revoke access. */
export const keepsWebhooks = z.strictObject({
  keep_webhooks: z.boolean().default(false).describe("Do not pause the webhooks made by the removed user or key."),
});

const common = { upstream: "topology", credential: "any", permission: "Admin", tag: "Webhooks" } as const;

export const listWebhooks = endpoint({
  ...common,
  operationId: "list_webhooks",
  method: "get",
  path: "/api/v1/webhooks",
  summary: "List webhooks",
  description: "Callers limited to some networks only see webhooks whose filter names only these networks.",
  query: listQuery(["created_at", "updated_at"], {
    network_id: filters.network_id.describe("Only webhooks that name this network."),
    ids: filters.ids,
  }),
  response: Webhook,
  list: true,
  errors: [],
});

export const listWebhookProgress = endpoint({
  ...common,
  operationId: "list_webhook_progress",
  method: "get",
  path: "/api/v1/webhooks/progress",
  summary: "Show how far each webhook has come",
  response: z.array(WebhookProgress).meta({ id: "WebhookProgressList" }),
  errors: [],
});

export const createWebhook = endpoint({
  ...common,
  showsSecret: true,
  operationId: "create_webhook",
  confirmed: true,
  outlivesKeys: true,
  method: "post",
  path: "/api/v1/webhooks",
  summary: "Create a webhook; its secret is only returned here",
  description:
    "Sends changes from now on, in order and at least once. It outlives what made it: API keys that expire, or are restricted to " +
    "networks, addresses or a rate, are rejected. It is paused when its creator is removed.",
  body: WebhookInput,
  response: Webhook.extend({ secret: z.string() }).meta({ id: "CreatedWebhook" }),
  errors: ["invalid_reference", ...QUOTA_ERRORS, "write_conflict"],
});

export const getWebhook = endpoint({
  ...common,
  operationId: "get_webhook_by_id",
  method: "get",
  path: "/api/v1/webhooks/{id}",
  summary: "Get a webhook",
  params: byId,
  response: Webhook,
  errors: ["not_found"],
});

export const updateWebhook = endpoint({
  ...common,
  operationId: "update_webhook",
  confirmed: true,
  outlivesKeys: true,
  method: "put",
  path: "/api/v1/webhooks/{id}",
  summary: "Update a webhook",
  description: "Requires the same credentials as creation. Deliveries in progress may still use the previous settings.",
  params: byId,
  body: WebhookInput,
  response: Webhook,
  errors: ["not_found", "invalid_reference", "precondition_failed", "write_conflict"],
});

export const patchWebhook = patchOf(updateWebhook);

export const deleteWebhook = endpoint({
  ...common,
  operationId: "delete_webhook",
  method: "delete",
  path: "/api/v1/webhooks/{id}",
  summary: "Delete a webhook",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const rotateWebhook = endpoint({
  ...common,
  showsSecret: true,
  operationId: "rotate_webhook",
  confirmed: true,
  method: "post",
  path: "/api/v1/webhooks/{id}/rotate",
  summary: "Rotate the secret of a webhook",
  description: "Messages that the receiver rejects until it knows the new secret are retried.",
  params: byId,
  response: z.object({ secret: z.string() }).meta({ id: "WebhookSecret" }),
  errors: ["not_found", "write_conflict"],
});

export const testWebhook = endpoint({
  ...common,
  operationId: "test_webhook",
  method: "post",
  path: "/api/v1/webhooks/{id}/test",
  summary: "Send a test message now and return the outcome",
  description: "Does not affect the delivery of changes, and also works while the webhook is disabled.",
  params: byId,
  response: WebhookDelivery,
  errors: ["not_found"],
});

export const replayWebhook = endpoint({
  ...common,
  operationId: "replay_webhook",
  confirmed: true,
  method: "post",
  path: "/api/v1/webhooks/{id}/replay",
  summary: "Set the cursor of a webhook, to resend or to skip changes",
  params: byId,
  body: z.object({ after: ChangeCursor.describe("A cursor of `/changes`.") }).meta({ id: "WebhookReplayInput" }),
  response: Webhook,
  errors: ["not_found", "cursor_invalid", "changes_gone", "write_conflict"],
});

export const listWebhookDeliveries = endpoint({
  ...common,
  operationId: "list_webhook_deliveries",
  method: "get",
  path: "/api/v1/webhooks/{id}/deliveries",
  summary: `List the last ${REMEMBERED_DELIVERIES} delivery attempts, newest first`,
  params: byId,
  response: z.array(WebhookDelivery).meta({ id: "WebhookDeliveries" }),
  errors: ["not_found"],
});
