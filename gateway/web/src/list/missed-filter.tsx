import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import type { ListState } from "./list-state.js";
import classes from "./list-view.module.css";

const CHOICES = [
  { value: "true", label: "Not seen by imports" },
  { value: "weeks", label: "Not seen for 3 weeks" },
  { value: "false", label: "Seen" },
];

/** Filters entities missed by imports. */
export function MissedFilter({ state }: { readonly state: ListState }): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label="Not seen"
      placeholder="Not seen"
      clearable
      data={CHOICES}
      value={state.valuesOf("missed")[0] ?? null}
      onChange={(missed) => state.change({ missed })}
      clearButtonProps={{ "aria-label": "Clear: Not seen" }}
    />
  );
}

/** Rounded to the day, so that the query key is stable. */
export function missedOf(state: ListState): { readonly missed?: boolean; readonly seen_before?: string } {
  const [missed] = state.valuesOf("missed");
  if (missed === "weeks") return { missed: true, seen_before: threeWeeksBefore(new Date()) };
  return missed === "true" ? { missed: true } : missed === "false" ? { missed: false } : {};
}

/** Local midnight three weeks ago. */
function threeWeeksBefore(now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 21).toISOString();
}
