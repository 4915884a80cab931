import { z } from "zod";
import { byId, filters, Id, listQuery, Nothing, serverFields, text, Timestamp, canonicalId } from "./common.js";
import { CHANGE_ACTIONS, ChangeCursor, ChangedEntity } from "./changes.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";

// Changes that are sent to addresses of the organization's choice. @see docs/webhooks.md

export const WEBHOOK_FORMATS = ["standard", "slack", "discord", "ntfy"] as const;
export const WebhookFormat = z.enum(WEBHOOK_FORMATS);
export type WebhookFormat = z.infer<typeof WebhookFormat>;

/** Characters of an address. */
const URL_LENGTH = 2_000;
/** Seconds for which changes may be gathered. */
const LONGEST_BATCH_SECONDS = 3_600;
/** Deliveries that are remembered of a webhook. */
export const REMEMBERED_DELIVERIES = 100;

/** Why an address is refused, whatever network it is in; null when it is not. */
function urlFault(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an address that begins with https://";
  if (url.username !== "" || url.password !== "") return "must hold no user and no password";
  return url.hash === "" && !given.includes("#") ? null : "must have no fragment";
}

/** The address in its one form: hosts such as `0x7f.1` are what they mean. */
const WebhookUrl = z
  .string()
  .max(URL_LENGTH)
  .overwrite((given) => (URL.canParse(given) ? new URL(given).href : given))
  .check(({ value, issues }) => {
    const message = urlFault(value);
    if (message !== null) issues.push({ code: "custom", message, input: value });
  })
  .meta({ format: "uri", maxLength: URL_LENGTH, examples: ["https://example.com/hooks/topology"] });

/** What is sent; a list that is empty leaves nothing out. */
const WebhookFilter = z
  .object({
    network_ids: z.array(Id).describe("Only what belongs to these networks, which leaves tags out."),
    entities: z.array(ChangedEntity),
    actions: z.array(z.enum(CHANGE_ACTIONS)),
    tag_ids: z
      .array(z.string())
      .describe("Only entities with any of these tags, before or after (ids of managed tags, or labels)."),
  })
  .meta({ id: "WebhookFilter" });
export type WebhookFilter = z.infer<typeof WebhookFilter>;

/** A list as a set, in the order it was sent. */
const once = <T>(items: readonly T[]): T[] => [...new Set(items)];

const WebhookFilterInput = z
  .object({
    network_ids: z.array(Id).max(100).overwrite(once).default([]),
    entities: z.array(ChangedEntity).max(10).overwrite(once).default([]),
    actions: z.array(z.enum(CHANGE_ACTIONS)).max(10).overwrite(once).default([]),
    tag_ids: z.array(text(1, 50).overwrite(canonicalId)).max(50).overwrite(once).default([]),
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
    is_enabled: z.boolean().describe("False: nothing is sent. What happens meanwhile is sent when it is true again."),
    paused: z
      .object({ at: Timestamp, reason: z.string() })
      .meta({ id: "WebhookPause" })
      .nullable()
      .describe(
        "Why the server has set `is_enabled` to false; null when it has not. Enabling goes on where it stopped.",
      ),
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookInput = z
  .object({
    url: WebhookUrl.describe("`https` and a public address, unless the operator has allowed others."),
    filter: WebhookFilterInput.optional().describe("What is sent; everything unless given."),
    format: WebhookFormat.optional().describe("Default `standard`; the others are texts for people."),
    batch_seconds: z
      .int()
      .min(0)
      .max(LONGEST_BATCH_SECONDS)
      .optional()
      .describe("Seconds for which changes are gathered before they are sent together. Default 0: one by one."),
    is_enabled: z.boolean().optional().describe("Default true."),
  })
  .meta({ id: "WebhookInput" });
export type WebhookInput = z.infer<typeof WebhookInput>;

/** Why a delivery failed without an answer of its receiver, or by one. */
export const WEBHOOK_FAULTS = {
  no_address: "The name has no address, or one that may not be sent to.",
  no_connection: "No connection could be made.",
  tls_failed: "The receiver's certificate is not valid for this name.",
  timeout: "The receiver did not answer in time.",
  broken_answer: "The receiver's answer could not be read.",
  refused: "The receiver did not answer with 2xx.",
} as const;
export type WebhookFault = keyof typeof WEBHOOK_FAULTS;

export const WebhookDelivery = z
  .object({
    id: z.string().describe("The `webhook-id` that was sent; the same whenever it is tried again."),
    at: Timestamp,
    kind: z.enum(["changes", "test"]),
    changes: z.int().describe("How many changes it told."),
    cursor: z.string().nullable().describe("Of the last change that it told."),
    attempt: z.int().describe("1 for the first."),
    outcome: z.enum(["delivered", "failed"]),
    status: z.int().nullable().describe("What the receiver answered; null when it did not."),
    error: z.enum(Object.keys(WEBHOOK_FAULTS) as [WebhookFault, ...WebhookFault[]]).nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

const common = { upstream: "topology", credential: "any", permission: "Admin", tag: "Webhooks" } as const;

export const listWebhooks = endpoint({
  ...common,
  operationId: "list_webhooks",
  method: "get",
  path: "/api/v1/webhooks",
  summary: "List webhooks",
  description: "Who may not use all networks sees the webhooks that name theirs alone.",
  query: listQuery(["created_at", "updated_at"], {
    network_id: filters.network_id.describe("Only webhooks that name this network."),
    ids: filters.ids,
  }),
  response: Webhook,
  list: true,
  errors: [],
});

export const createWebhook = endpoint({
  ...common,
  showsSecret: true,
  operationId: "create_webhook",
  method: "post",
  path: "/api/v1/webhooks",
  summary: "Create a webhook; the answer is the only place that shows its secret",
  description:
    "It sends what changes from now on, in order, and each change at least once. It belongs to the organization and not to who " +
    "made it. Who may not use all networks has to name some.",
  body: WebhookInput,
  response: Webhook.extend({ secret: z.string() }).meta({ id: "CreatedWebhook" }),
  errors: ["invalid_reference", "quota_exceeded", "write_conflict"],
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
  method: "put",
  path: "/api/v1/webhooks/{id}",
  summary: "Update a webhook",
  description: "What is under way may still arrive as before.",
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
  method: "post",
  path: "/api/v1/webhooks/{id}/rotate",
  summary: "Give a webhook a new secret",
  description: "What the receiver refuses until it knows the new one is sent again.",
  params: byId,
  response: z.object({ secret: z.string() }).meta({ id: "WebhookSecret" }),
  errors: ["not_found", "write_conflict"],
});

export const testWebhook = endpoint({
  ...common,
  operationId: "test_webhook",
  method: "post",
  path: "/api/v1/webhooks/{id}/test",
  summary: "Send a test message now, and tell what came of it",
  description: "The order of the changes is not touched, and it may be sent while the webhook is not enabled.",
  params: byId,
  response: WebhookDelivery,
  errors: ["not_found"],
});

export const replayWebhook = endpoint({
  ...common,
  operationId: "replay_webhook",
  method: "post",
  path: "/api/v1/webhooks/{id}/replay",
  summary: "Go on behind a cursor: send again what came after it, or leave out what came before",
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
  summary: `The latest ${REMEMBERED_DELIVERIES} attempts to deliver, the newest first`,
  params: byId,
  response: z.array(WebhookDelivery).meta({ id: "WebhookDeliveries" }),
  errors: ["not_found"],
});
