import { z } from "zod";

/** What a revert has done, or would do. */
export const Reverted = z
  .object({
    request_id: z.string(),
    restored: z.int().describe("Deleted entities that were restored."),
    updated: z.int().describe("Updated entities that were reset."),
    removed: z.int().describe("Created entities that were deleted."),
  })
  .meta({ id: "Reverted" });
export type Reverted = z.infer<typeof Reverted>;
