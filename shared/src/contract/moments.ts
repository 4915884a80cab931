import { z } from "zod";
import { ChangeCursor } from "./changes.js";
import { Instant } from "./common.js";

// Moments of the past. @see docs/changes.md

/** Changes behind which a moment can be read, and entities that they may be of, of the kinds that are read. */
export const PAST = { changes: 500_000, entities: 100_000 } as const;

/** A moment: a time, or a cursor, which is the moment right after its change. */
export const Moment = z
  .string()
  .min(1)
  .max(64)
  .refine(isMoment, "must be a time in ISO 8601, or a cursor")
  .meta({ format: "moment", examples: ["2026-01-31T09:30:00.000Z"] });

function isMoment(text: string): boolean {
  return Instant.safeParse(text).success || ChangeCursor.safeParse(text).success;
}

/** The parameter of reads that can be of a moment of the past. */
export const asOf = {
  as_of: Moment.optional().describe(
    "As it was at a moment: a time, or the cursor of a change. What the caller may see is decided by today's rights.",
  ),
};

/** What reads of the past can answer besides. */
export const AS_OF_ERRORS = ["cursor_invalid", "changes_gone", "too_many_changes"] as const;
