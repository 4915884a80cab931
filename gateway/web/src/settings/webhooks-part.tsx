import { Button, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Panel } from "../parts/page.js";
import { PATHS } from "../paths.js";

export function WebhooksPart(): ReactNode {
  return (
    <Panel pad>
      <Title order={2} mb="xs">
        Webhooks
      </Title>
      <Text size="sm">Send changes to other systems, or to Slack, Discord and ntfy, as they happen.</Text>
      <Group justify="flex-end" mt="md">
        <Button component={Link} to={PATHS.webhooks} variant="default">
          Manage webhooks
        </Button>
      </Group>
    </Panel>
  );
}
