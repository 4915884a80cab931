import { Badge, Text } from "@mantine/core";
import { listWebhookDeliveries, type Webhook, type WebhookDelivery } from "@nts/shared/contract";
import { useInViewport } from "@mantine/hooks";
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

/**
 * The latest attempts, the newest first; the same for all who ask on a page. They are read while somebody sees the webhook, and
 * again only of one that is enabled: to others nothing is sent.
 */
function useLatest({ id, is_enabled }: Webhook, isSeen: boolean): readonly WebhookDelivery[] | undefined {
  const pace = is_enabled && isSeen ? { everyMs: PACE_MS } : {};
  return useOne(listWebhookDeliveries, { params: { id } }, { enabled: isSeen, ...pace }).data?.data;
}

interface StatusProps {
  readonly webhook: Webhook;
  /** Says why it is paused, too. */
  readonly withReason?: boolean;
}

/** How a webhook does, and since when it does not. */
export function Status({ webhook, withReason = false }: StatusProps): ReactNode {
  const { ref, inViewport } = useInViewport();
  const latest = useLatest(webhook, inViewport);
  // until it is known whether it is behind, nothing is said
  if (latest === undefined && webhook.is_enabled) return <span ref={ref} />;
  const state = stateOf(webhook, latest ?? []);
  return (
    <span ref={ref}>
      <Badge variant="light" color={COLORS[state]} tt="none">
        {state}
      </Badge>
      {webhook.paused !== null && (
        <>
          {" "}
          <When at={webhook.paused.at} />
          {withReason && (
            <Text component="span" display="block" size="xs" c="dimmed">
              {webhook.paused.reason}
            </Text>
          )}
        </>
      )}
    </span>
  );
}

/** When something arrived for the last time, among the attempts that are remembered; beside a {@link Status}, which reads them. */
export function LastDelivery({ webhook }: Pick<StatusProps, "webhook">): ReactNode {
  const latest = useLatest(webhook, false);
  if (latest === undefined) return null;
  return <When at={latest.find(({ outcome }) => outcome === "delivered")?.at ?? null} />;
}
