import ipaddr from "ipaddr.js";
import { z } from "zod";
import { DEFAULT_QUOTAS } from "./storage/quota.js";
import { commonSettings, shareSettings, tenancySettings, writeSettings } from "@nts/shared/config";

const { GATEWAY_TO_TOPOLOGY_SECRETS, IDENTITY_TO_TOPOLOGY_SECRETS } = tenancySettings;

const NetworkList = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(z.array(z.string().refine((cidr) => ipaddr.isValidCIDR(cidr), "must be CIDRs, such as 10.1.0.0/16")));

function quota(most: number, description: string) {
  return z.coerce.number().int().min(1).default(most).describe(description);
}

/** Settings of the topology service. */
export const TopologySettings = z.object({
  ...commonSettings,
  GATEWAY_TO_TOPOLOGY_SECRETS,
  IDENTITY_TO_TOPOLOGY_SECRETS,
  ...shareSettings,
  ...writeSettings,
  MONGODB_URL: z.string().describe("A replica set; transactions need one."),
  MONGODB_DATABASE: z.string().default("topology").describe("The database of topology."),
  MAX_ENTITIES_PER_ORGANIZATION: quota(DEFAULT_QUOTAS.entities, "Entities of all kinds together, bindings included."),
  MAX_NETWORKS_PER_ORGANIZATION: quota(DEFAULT_QUOTAS.networks, "Networks per organization."),
  MAX_TAGS_PER_ORGANIZATION: quota(DEFAULT_QUOTAS.tags, "Tags per organization."),
  MAX_VIEWS_PER_ORGANIZATION: quota(DEFAULT_QUOTAS.views, "Views per organization."),
  CHANGES_RETENTION_DAYS: z.coerce.number().min(1).default(90).describe("Retention of the change history in days."),
  MAX_WEBHOOKS_PER_ORGANIZATION: z.coerce.number().int().min(0).default(20).describe("Webhooks per organization."),
  WEBHOOK_ALLOW: NetworkList.default([]).describe(
    "Networks (CIDRs, comma-separated) to which webhooks may send although they are private, and also by plain http; none unless set.",
  ),
  INVENTORY_METRICS: z
    .enum(["yes", "no"])
    .default("no")
    .describe("`yes` adds counts of each network to `/metrics`, with the names of networks; see docs/exports.md."),
});
export type TopologyConfig = z.infer<typeof TopologySettings>;
