import { Badge } from "@mantine/core";
import type { ImportJob } from "@nts/shared/contract";
import type { ReactNode } from "react";

const STATES: Readonly<Record<ImportJob["state"], { readonly label: string; readonly color: string }>> = {
  queued: { label: "Waiting", color: "gray" },
  running: { label: "Running", color: "cyan" },
  done: { label: "Done", color: "teal" },
  failed: { label: "Failed", color: "red" },
  cancelled: { label: "Cancelled", color: "yellow" },
};

/** What a job does, or how it ended. */
export function JobState({ state }: Pick<ImportJob, "state">): ReactNode {
  return (
    <Badge color={STATES[state].color} variant="light">
      {STATES[state].label}
    </Badge>
  );
}
