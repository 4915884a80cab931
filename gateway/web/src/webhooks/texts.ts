import {
  WEBHOOK_FAULTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookFormat,
  type WebhookProgress,
} from "@nts/shared/contract";

// Presentation of webhooks.

export const FORMATS: Readonly<Record<WebhookFormat, string>> = {
  standard: "Standard Webhooks (signed JSON)",
  slack: "Slack",
  discord: "Discord",
  ntfy: "ntfy",
};

export type WebhookState = "Delivering" | "Behind" | "Paused" | "Disabled";

/** The status of a webhook; a failing message delays all later ones. @param progress absent for new webhooks */
export function stateOf(
  { paused, is_enabled }: Pick<Webhook, "paused" | "is_enabled">,
  progress: Pick<WebhookProgress, "failing_since"> | undefined,
): WebhookState {
  if (paused !== null) return "Paused";
  if (!is_enabled) return "Disabled";
  return (progress?.failing_since ?? null) === null ? "Delivering" : "Behind";
}

/** A summary of the filter, such as `Host, Service: created`; networks and tags are on the webhook's page. */
export function contentOf({ filter }: Pick<Webhook, "filter">): string {
  const { entities, actions, network_ids, tag_ids, known } = filter;
  const hosts = known === true ? "Known hosts" : "Strangers";
  const kinds = known !== null ? hosts : entities.length === 0 ? "Everything" : entities.join(", ");
  const some = network_ids.length + tag_ids.length > 0 ? ", of some networks or tags" : "";
  return `${kinds}${actions.length === 0 ? "" : `: ${actions.join(", ")}`}${some}`;
}

/** The receiver's response, or why there is none. */
export function responseText({ status, error }: Pick<WebhookDelivery, "status" | "error">): string {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? "–" : WEBHOOK_FAULTS[error];
}

/** The content of a delivery, such as `2 changes`. */
export function contentText({ kind, changes }: Pick<WebhookDelivery, "kind" | "changes">): string {
  if (kind === "test") return "Test";
  return `${changes} ${changes === 1 ? "change" : "changes"}`;
}
