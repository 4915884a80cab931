import { z } from "zod";
import { ChangeCursor } from "./changes.js";
import { Instant } from "./common.js";

// Points in time for reads of past states. @see docs/changes.md

/** Maximum changes since the requested moment, and maximum entities of the requested kinds that they affect. */
export const PAST = { changes: 500_000, entities: 100_000 } as const;

/** A time, or a cursor, which means the moment right after its change. */
export const Moment = z
  .string()
  .min(1)
  .max(64)
  .refine(isMoment, "must be a time in ISO 8601, or a cursor")
  .meta({ format: "moment", examples: ["2026-01-31T09:30:00.000Z"] });

function isMoment(text: string): boolean {
  return Instant.safeParse(text).success || ChangeCursor.safeParse(text).success;
}

/** The query parameter of operations that can read past states. */
export const asOf = {
  as_of: Moment.optional().describe(
    "Read the state at a time or change cursor. Visibility is determined by the caller's current rights.",
  ),
};

/** Additional errors of reads of past states. */
export const AS_OF_ERRORS = ["cursor_invalid", "changes_gone", "too_many_changes"] as const;
