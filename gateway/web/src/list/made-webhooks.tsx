import { Checkbox, List, Text } from "@mantine/core";
import { listWebhooks, type Webhook } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import { webhookName } from "../parts/names.js";

interface MadeWebhooksProps {
  readonly isMade: (webhook: Webhook) => boolean;
  /** Called with whether they are kept. */
  readonly onKeep: (isKept: boolean) => void;
}

/** The webhooks that a user or key to be removed made, and whether to keep them; nothing if there are none. */
export function MadeWebhooks({ isMade, onKeep }: MadeWebhooksProps): ReactNode {
  const { data } = useRows(listWebhooks, { query: { limit: 1000 } });
  const [isKept, setKept] = useState(false);
  const made = (data?.data ?? []).filter((webhook) => webhook.is_enabled && isMade(webhook));
  if (made.length === 0) return null;
  const keep = (next: boolean): void => {
    setKept(next);
    onKeep(next);
  };
  return (
    <>
      <Text size="sm" mt="sm">
        {isKept ? "These webhooks go on sending changes:" : "These webhooks are paused:"}
      </Text>
      <List size="sm" my="xs">
        {made.map((webhook) => (
          <List.Item key={webhook.id}>{webhookName(webhook)}</List.Item>
        ))}
      </List>
      <Checkbox
        label="Keep them"
        description="Only if you know where they send: they read what happens here."
        checked={isKept}
        onChange={({ currentTarget }) => keep(currentTarget.checked)}
      />
    </>
  );
}
