import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { ListState } from "../list/list-state.js";
import { EmptyState } from "../parts/empty-state.js";

/** Shown if no entry passes the filters. @param filters query parameters that act as filters */
export function NoResults({
  state,
  filters,
}: {
  readonly state: ListState;
  readonly filters: readonly string[];
}): ReactNode {
  const clear = (
    <Button variant="default" onClick={() => state.change(Object.fromEntries(filters.map((name) => [name, null])))}>
      Clear filters
    </Button>
  );
  return (
    <EmptyState icon={SearchX} title="No results" actions={clear}>
      No retained changes match these filters.
    </EmptyState>
  );
}
