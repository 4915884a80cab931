import { Text, Title } from "@mantine/core";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./state.module.css";

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** What the user can do. */
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** Shown instead of an empty list. */
export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps): ReactNode {
  return (
    <div className={classes.state}>
      <Icon size={36} strokeWidth={1.4} aria-hidden className={classes.icon} />
      <Title order={2}>{title}</Title>
      <Text c="dimmed">{children}</Text>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
