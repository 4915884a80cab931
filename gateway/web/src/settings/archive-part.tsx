import { Button, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Panel } from "../parts/page.js";
import { PATHS } from "../paths.js";

export function ArchivePart(): ReactNode {
  return (
    <Panel pad>
      <Title order={2} mb="xs">
        Backup
      </Title>
      <Text size="sm">
        Export the whole inventory as one file, an archive, to keep it, restore it, or move it to another organization.
      </Text>
      <Group justify="flex-end" mt="md">
        <Button component={Link} to={PATHS.archive} variant="default">
          Open backup
        </Button>
      </Group>
    </Panel>
  );
}
