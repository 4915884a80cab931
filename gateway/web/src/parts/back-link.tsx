import { Anchor } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

/** Link to the parent page. */
export function BackLink({ to, children }: { readonly to: string; readonly children: ReactNode }): ReactNode {
  return (
    <Anchor component={Link} to={to} size="sm" c="dimmed">
      <ArrowLeft size={14} aria-hidden /> {children}
    </Anchor>
  );
}
