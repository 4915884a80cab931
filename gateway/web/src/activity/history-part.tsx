import type { HISTORIES } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure } from "../api/failure.js";
import { Part, PartRemark } from "../parts/part.js";
import { Feed } from "./feed.js";
import { historyOf, useChanges } from "./sources.js";

interface HistoryPartProps {
  /** All histories have the parameters of this one. */
  readonly operation: typeof HISTORIES.Subnet;
  readonly id: string;
}

/** The history of an entity, even a deleted one; nothing if it never existed. */
export function HistoryPart({ operation, id }: HistoryPartProps): ReactNode {
  const changes = useChanges(historyOf(operation, id));
  const { data, error } = changes.query;
  if (data === undefined && error !== null && describeFailure(error).kind === "missing") return null;
  return (
    <Part title="History">
      <Feed changes={changes} empty={<PartRemark>No changes recorded yet.</PartRemark>} />
    </Part>
  );
}
