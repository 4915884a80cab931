import { Badge, Text } from "@mantine/core";
import { listWebhookProgress, type Webhook, type WebhookProgress } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { When } from "../parts/when.js";
import { stateOf, type WebhookState } from "./texts.js";

const COLORS: Readonly<Record<WebhookState, string>> = {
  Delivering: "teal",
  Behind: "yellow",
  Paused: "red",
  Disabled: "gray",
};

/** Polling interval in milliseconds: deliveries have no change events. */
export const PACE_MS = 15_000;

/** How far a webhook has come: of all webhooks of a page it is one request, again and again while one of them sends. */
function useProgress({ id, is_enabled }: Webhook): { isKnown: boolean; progress: WebhookProgress | undefined } {
  const { data } = useOne(listWebhookProgress, {}, is_enabled ? { everyMs: PACE_MS } : {});
  return { isKnown: data !== undefined, progress: data?.data.find(({ webhook_id }) => webhook_id === id) };
}

interface StatusProps {
  readonly webhook: Webhook;
  /** Says why it is paused, too. */
  readonly withReason?: boolean;
}

/** How a webhook does, and since when it does not. */
export function Status({ webhook, withReason = false }: StatusProps): ReactNode {
  const { isKnown, progress } = useProgress(webhook);
  // until it is known whether it is behind, nothing is said
  if (!isKnown && webhook.is_enabled) return null;
  const state = stateOf(webhook, progress);
  const since = webhook.paused?.at ?? (state === "Behind" ? progress?.failing_since : undefined) ?? null;
  return (
    <>
      <Badge variant="light" color={COLORS[state]} tt="none">
        {state}
      </Badge>
      {since !== null && (
        <>
          {" "}
          <When at={since} />
        </>
      )}
      {webhook.paused !== null && withReason && (
        <Text component="span" display="block" size="xs" c="dimmed">
          {webhook.paused.reason}
        </Text>
      )}
    </>
  );
}

/** When something arrived for the last time. */
export function LastDelivery({ webhook }: Pick<StatusProps, "webhook">): ReactNode {
  const { isKnown, progress } = useProgress(webhook);
  return isKnown && <When at={progress?.delivered_at ?? null} />;
}
