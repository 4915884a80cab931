import { z } from "zod";
import { commonSettings } from "@nts/shared/config";

/** Settings of the topology service. */
export const TopologySettings = z.object({
  ...commonSettings,
  MONGODB_URL: z.string().describe("A replica set; transactions need one."),
  MONGODB_DATABASE: z.string().default("topology"),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).default(0).describe("Between being unready and closing, on a stop."),
});
