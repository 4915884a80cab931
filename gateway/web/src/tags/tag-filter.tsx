import type { ReactNode } from "react";
import { ManyFilter } from "../list/filters.js";
import type { ListState } from "../list/list-state.js";
import type { KnownTags } from "./tags.js";

/** Filters by managed tags. */
export function TagFilter({ state, known }: { readonly state: ListState; readonly known: KnownTags }): ReactNode {
  const data = known.tags.map(({ id, name }) => ({ value: id, label: name }));
  return <ManyFilter state={state} name="tag" label="Tags" data={data} />;
}
