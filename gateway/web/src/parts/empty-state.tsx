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
  /** Centered in an otherwise empty window. */
  readonly page?: boolean;
}

/** Shown instead of an empty list. */
export function EmptyState({ icon: Icon, title, children, actions, page = false }: EmptyStateProps): ReactNode {
  return (
    <div className={page ? `${classes.state ?? ""} ${classes.page ?? ""}` : classes.state}>
      <Icon size={36} strokeWidth={1.4} aria-hidden className={classes.icon} />
      <Title order={page ? 1 : 2} size="h2">
        {title}
      </Title>
      <Text c="dimmed">{children}</Text>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
