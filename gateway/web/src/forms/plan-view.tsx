import { Badge, Group, Paper, Stack, Text } from "@mantine/core";
import type { Plan } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { alongText, changeText } from "./plan-text.js";

const SHOWN = 20;
const COLORS = { create: "teal", update: "cyan", delete: "red" } as const;

interface PlanViewProps {
  readonly plan: Plan;
  /** Shown before the changes. */
  readonly lead?: string;
}

/** The preview of a write. */
export function PlanView({ plan, lead = "Saving would change this:" }: PlanViewProps): ReactNode {
  const { action, changes, removed_bindings: removed, truncated } = plan;
  const along = alongText(plan);
  return (
    <Paper component="section" aria-label="Review" withBorder p="sm" mb="md">
      <Stack gap="xs">
        <Text size="sm" fw={600} role="status">
          {action === "none" ? "Nothing would change." : lead}
        </Text>
        {changes.slice(0, SHOWN).map((change) => (
          <Group key={`${change.entity} ${change.id}`} gap="xs" wrap="nowrap" align="flex-start">
            <Badge size="sm" variant="outline" color={COLORS[change.action]} miw="5.5rem">
              {change.action}
            </Badge>
            <Text size="sm">{changeText(change)}</Text>
          </Group>
        ))}
        {(changes.length > SHOWN || truncated) && <Text size="sm">… and more.</Text>}
        {removed.length > 0 && (
          <Text size="sm">
            {removed.length === 1 ? "One binding is redundant" : `${removed.length} bindings are redundant`} and would
            be dropped.
          </Text>
        )}
        {along !== null && <Text size="sm">{along}</Text>}
      </Stack>
    </Paper>
  );
}
