import { Badge } from "@mantine/core";
import type { Collector, CollectorJob } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { JOB_STATES, STANDINGS, standingOf } from "./texts.js";

export function CollectorState({ collector }: { readonly collector: Collector }): ReactNode {
  const { text, color } = STANDINGS[standingOf(collector)];
  return (
    <Badge variant="light" color={color} tt="none">
      {text}
    </Badge>
  );
}

export function JobState({ job }: { readonly job: CollectorJob }): ReactNode {
  const { text, color } = JOB_STATES[job.state];
  return (
    <Badge variant="light" color={color} tt="none">
      {text}
    </Badge>
  );
}
