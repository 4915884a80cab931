import { z } from "zod";
import { commonSettings, UrlList } from "@nts/shared/config";

/** The settings of the identity service. */
export const IdentitySettings = z.object({
  ...commonSettings,
  MONGODB_URL: z.string().describe("A replica set; transactions need one."),
  MONGODB_DATABASE: z.string().default("identity"),
  TOPOLOGY_URLS: UrlList.describe("Base URLs of the replicas of the topology service, comma-separated."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .describe("Where users reach the product; with https the session cookie is sent over https only."),
  REGISTRATION: z.enum(["open", "invite"]).default("open").describe("Who may create an account."),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe("Milliseconds between being unready and taking no more requests."),
});
