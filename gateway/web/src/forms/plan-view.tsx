import { Badge, Group, Paper, Stack, Text } from "@mantine/core";
import type { Plan } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { alongText, changeText, isOnlyMoved } from "./plan-text.js";
import classes from "./plan-view.module.css";

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
  const moved = changes.filter(isOnlyMoved);
  const told = moved.length > 1 && moved.length < changes.length ? changes.filter((one) => !isOnlyMoved(one)) : changes;
  return (
    <Paper component="section" aria-label="Review" withBorder p="sm" mb="md">
      <Stack gap="xs">
        <Text size="sm" fw={600} role="status">
          {action === "none" ? "Nothing would change." : lead}
        </Text>
        {told.slice(0, SHOWN).map((change) => (
          <Group key={`${change.entity} ${change.id}`} gap="xs" wrap="nowrap" align="flex-start">
            <Badge size="sm" variant="outline" color={COLORS[change.action]} miw="5.5rem">
              {change.action}
            </Badge>
            <Text size="sm" className={classes.text ?? ""}>
              {changeText(change)}
            </Text>
          </Group>
        ))}
        {(told.length > SHOWN || truncated) && <Text size="sm">… and more.</Text>}
        {told !== changes && <Text size="sm">{moved.length} others only change their position.</Text>}
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
