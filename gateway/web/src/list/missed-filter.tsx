import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import type { ListState } from "./list-state.js";
import classes from "./list-view.module.css";

const CHOICES = [
  { value: "true", label: "Missed by imports" },
  { value: "false", label: "Not missed" },
];

/** What imports miss, or what they do not. */
export function MissedFilter({ state }: { readonly state: ListState }): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label="Missed"
      placeholder="Missed"
      clearable
      data={CHOICES}
      value={state.valuesOf("missed")[0] ?? null}
      onChange={(missed) => state.change({ missed })}
      clearButtonProps={{ "aria-label": "Clear: Missed" }}
    />
  );
}

/** What the list is asked for. */
export function missedOf(state: ListState): boolean | undefined {
  const [missed] = state.valuesOf("missed");
  return missed === "true" ? true : missed === "false" ? false : undefined;
}
