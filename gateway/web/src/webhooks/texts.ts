import {
  WEBHOOK_FAULTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookFormat,
  type WebhookProgress,
} from "@nts/shared/contract";

// Webhooks in words.

export const FORMATS: Readonly<Record<WebhookFormat, string>> = {
  standard: "Standard Webhooks (signed JSON)",
  slack: "Slack",
  discord: "Discord",
  ntfy: "ntfy",
};

/** What a webhook is called: the server that it sends to. The rest of the address may be a secret. */
export function nameOf({ url }: Pick<Webhook, "url">): string {
  return new URL(url).host;
}

export type WebhookState = "Delivering" | "Behind" | "Paused" | "Disabled";

/** How a webhook does. Everything waits behind a message that fails. @param progress of one that is new, not known yet */
export function stateOf(
  { paused, is_enabled }: Pick<Webhook, "paused" | "is_enabled">,
  progress: Pick<WebhookProgress, "failing_since"> | undefined,
): WebhookState {
  if (paused !== null) return "Paused";
  if (!is_enabled) return "Disabled";
  return (progress?.failing_since ?? null) === null ? "Delivering" : "Behind";
}

/** What a webhook sends, such as `Host, Service: created`; what is narrowed by networks and tags is left to its page. */
export function contentOf({ filter: { entities, actions, network_ids, tag_ids } }: Pick<Webhook, "filter">): string {
  const kinds = entities.length === 0 ? "Everything" : entities.join(", ");
  const some = network_ids.length + tag_ids.length > 0 ? ", of some networks or tags" : "";
  return `${kinds}${actions.length === 0 ? "" : `: ${actions.join(", ")}`}${some}`;
}

/** What the receiver answered, or why there is no answer. */
export function answerText({ status, error }: Pick<WebhookDelivery, "status" | "error">): string {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? "–" : WEBHOOK_FAULTS[error];
}

/** What a delivery told, such as `2 changes`. */
export function contentText({ kind, changes }: Pick<WebhookDelivery, "kind" | "changes">): string {
  if (kind === "test") return "Test";
  return `${changes} ${changes === 1 ? "change" : "changes"}`;
}
