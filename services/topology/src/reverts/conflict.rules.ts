import { LISTED_CONFLICTS, type RevertConflict } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { JOURNALED, type Journaled } from "../journal/entries.rules.js";

/** What prevents a request from being reverted. */
export type Conflict = RevertConflict;

export function conflictOf(kind: Journaled, entity_id: string, reason: Conflict["reason"]): Conflict {
  return { entity: JOURNALED[kind], entity_id, reason };
}

/** @throws AppError `revert_conflict` if there are conflicts */
export function refuse(conflicts: readonly Conflict[]): void {
  if (conflicts.length > 0) throw new AppError("revert_conflict", { conflicts: conflicts.slice(0, LISTED_CONFLICTS) });
}
