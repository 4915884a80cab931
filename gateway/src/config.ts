import { commonSettings, OriginList, UrlList } from "@nts/shared/config";
import { z } from "zod";

const count = z.coerce.number().int().min(1).max(1_000_000);

/** Settings of the gateway. */
export const GatewayConfig = z.object({
  ...commonSettings,
  PORT: commonSettings.PORT.default(8080),
  OPS_PORT: commonSettings.OPS_PORT.default(9080),
  IDENTITY_URLS: UrlList.describe("Base URLs of the replicas of identity, comma-separated."),
  TOPOLOGY_URLS: UrlList.describe("Base URLs of the replicas of topology, comma-separated."),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe("redis://[user:password@]host:port; counts requests."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where browsers find this gateway; its origin may send cookie-authenticated writes."),
  RATE_LIMIT_PER_MINUTE: count.default(300).describe("Requests a minute of one user."),
  RATE_LIMIT_BURST: count.default(150).describe("Requests that one user may send at once."),
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: count.default(60).describe("Requests a minute of one address without a credential."),
  ANONYMOUS_RATE_LIMIT_BURST: count.default(20).describe("Requests that one address may send at once."),
  REDIS_PATIENCE_MS: z.coerce
    .number()
    .int()
    .min(5)
    .max(1_000)
    .default(25)
    .describe("How long a request waits for Redis before its limit is enforced locally."),
  CORS_ORIGINS: OriginList.default([]).describe("Origins whose pages may call the API with an API key."),
  MAX_CONNECTIONS: count.default(10_000).describe("Connections at a time; one more is closed unread."),
  TRUST_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0).describe("Proxies of ours in front of this one."),
  STALE_CREDENTIAL_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(30)
    .describe("How long a checked credential still serves while identity is away; 0 turns it off."),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0).describe("Wait between unready and closing."),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;
