import { Badge, Text } from "@mantine/core";
import { listWebhookDeliveries, type Webhook, type WebhookDelivery } from "@nts/shared/contract";
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

/** Milliseconds between two readings: no change tells that something was delivered. */
export const PACE_MS = 15_000;

/** The latest attempts, the newest first; the same for all who ask on a page. To one that is not enabled nothing is sent. */
function useLatest({ id, is_enabled }: Webhook): readonly WebhookDelivery[] | undefined {
  const pace = is_enabled ? { everyMs: PACE_MS } : {};
  return useOne(listWebhookDeliveries, { params: { id } }, pace).data?.data;
}

interface StatusProps {
  readonly webhook: Webhook;
  /** Says why it is paused, too. */
  readonly withReason?: boolean;
}

/** How a webhook does, and since when it does not. */
export function Status({ webhook, withReason = false }: StatusProps): ReactNode {
  const latest = useLatest(webhook);
  // until it is known whether it is behind, nothing is said
  if (latest === undefined && webhook.is_enabled) return null;
  const state = stateOf(webhook, latest ?? []);
  return (
    <>
      <Badge variant="light" color={COLORS[state]} tt="none">
        {state}
      </Badge>
      {webhook.paused !== null && (
        <>
          {" "}
          <When at={webhook.paused.at} />
          {withReason && (
            <Text size="xs" c="dimmed">
              {webhook.paused.reason}
            </Text>
          )}
        </>
      )}
    </>
  );
}

/** When something arrived for the last time, among the attempts that are remembered. */
export function LastDelivery({ webhook }: Pick<StatusProps, "webhook">): ReactNode {
  const latest = useLatest(webhook);
  if (latest === undefined) return null;
  return <When at={latest.find(({ outcome }) => outcome === "delivered")?.at ?? null} />;
}
