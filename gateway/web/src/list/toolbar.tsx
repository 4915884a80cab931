import { Button } from "@mantine/core";
import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ListState } from "./list-state.js";
import classes from "./list-view.module.css";

interface ToolbarProps {
  readonly state: Pick<ListState, "filterCount">;
  readonly children: ReactNode;
}

/** Search and filters above a list; on narrow screens, the filters are folded. */
export function Toolbar({ state: { filterCount }, children }: ToolbarProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.toolbar} data-open={isOpen || undefined}>
      {children}
      <Button
        className={classes.fold ?? ""}
        variant="default"
        leftSection={<SlidersHorizontal size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {filterCount === 0 ? "Filters" : `Filters (${filterCount})`}
      </Button>
    </div>
  );
}
