import { commonSettings, ContactList, OriginList, tenancySettings, UrlList } from "@nts/shared/config";
import { checkPublicUrl, InsecureHttp } from "@nts/shared/exposure";
import { BODY_LIMIT_BYTES } from "@nts/shared/http/headers";
import type { Audience } from "@nts/shared/http/tenancy";
import { z } from "zod";
import { MOST_WAITING } from "@nts/shared/upstream/replicas";
import type { HolderKind, InFlightLimits } from "./edge/in-flight.js";
import type { LimiterOptions } from "./rate-limit/limiter.js";

const count = z.coerce.number().int().min(1).max(1_000_000);
/** At least one body of maximum size fits. */
const bytes = z.coerce.number().int().min(BODY_LIMIT_BYTES).max(17_179_869_184);

const { GATEWAY_TO_IDENTITY_SECRETS, GATEWAY_TO_TOPOLOGY_SECRETS } = tenancySettings;

const settings = z.object({
  ...commonSettings,
  GATEWAY_TO_IDENTITY_SECRETS,
  GATEWAY_TO_TOPOLOGY_SECRETS,
  PORT: commonSettings.PORT.default(8080),
  OPS_PORT: commonSettings.OPS_PORT.default(9080),
  IDENTITY_URLS: UrlList.describe("Base URLs of the replicas of identity, comma-separated."),
  TOPOLOGY_URLS: UrlList.describe("Base URLs of the replicas of topology, comma-separated."),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe("redis://[user:password@]host:port; counts requests."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Public URL; pages of its origin may send cookie-authenticated writes."),
  INSECURE_HTTP: InsecureHttp,
  RATE_LIMIT_PER_MINUTE: count.default(300).describe("Requests per minute and user."),
  RATE_LIMIT_BURST: count.default(150).describe("Burst of requests per user."),
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: count.default(60).describe("Requests per minute and address without a credential."),
  ANONYMOUS_RATE_LIMIT_BURST: count.default(20).describe("Burst of requests per address."),
  LOOKUP_RATE_LIMIT_PER_MINUTE: count
    .default(600)
    .describe("Credential look-ups per minute for an address that has exhausted its limit."),
  LOOKUP_RATE_LIMIT_BURST: count.default(60).describe("Burst of credential look-ups for such an address."),
  MAX_VERIFICATIONS: count.default(64).describe("Concurrent credential look-ups at identity."),
  REDIS_PATIENCE_MS: z.coerce
    .number()
    .int()
    .min(5)
    .max(1_000)
    .default(25)
    .describe("How long a request waits for Redis before its limit is enforced locally."),
  SECURITY_CONTACT: ContactList.default([]).describe(
    "Where to report vulnerabilities of this installation, as mailto: or https: URIs; served as /.well-known/security.txt.",
  ),
  CORS_ORIGINS: OriginList.default([]).describe("Origins whose pages may call the API with an API key."),
  MAX_CONNECTIONS: count
    .default(10_000)
    .describe("Concurrent connections, excluding change streams; further ones are closed."),
  MAX_CONNECTIONS_PER_ADDRESS: count
    .default(500)
    .describe("Concurrent connections per address; not limited behind trusted proxies."),
  IN_FLIGHT_PER_USER: count.default(150).describe("Open requests per user; further ones are rejected."),
  IN_FLIGHT_PER_ORGANIZATION: count.default(300).describe("Open requests per organization."),
  IN_FLIGHT_PER_ADDRESS: count.default(50).describe("Open requests per address without a credential."),
  IN_FLIGHT_PER_CLIENT: count
    .default(450)
    .describe("Open requests with a credential per address (IPv6: /64), of all its users together."),
  IN_FLIGHT_PER_SITE: count
    .default(600)
    .describe("Open requests with a credential per site (IPv6: /48), of all its users together."),
  AT_SERVICES_PER_USER: count.default(32).describe("Concurrent calls to services per user; others wait."),
  AT_SERVICES_PER_ORGANIZATION: count.default(64).describe("Concurrent calls to services per organization."),
  AT_SERVICES_PER_ADDRESS: count.default(16).describe("Concurrent calls to services per address without a credential."),
  AT_SERVICES_PER_CLIENT: count.default(128).describe("Concurrent calls to services per address with credentials."),
  AT_SERVICES_PER_SITE: count.default(160).describe("Concurrent calls to services per site with credentials."),
  UPLOADS_PER_ORGANIZATION: count.default(4).describe("Concurrent uploads per organization."),
  CHANGE_STREAMS: count.default(1_000).describe("Open change streams."),
  CHANGE_STREAMS_PER_USER: count.default(10).describe("Open change streams per user, across all gateways."),
  CHANGE_STREAMS_PER_ORGANIZATION: count.default(100).describe("Open change streams per organization."),
  CHANGE_STREAMS_PER_CLIENT: count
    .default(250)
    .describe("Open change streams per address (IPv6: /64) and gateway, of all its users together."),
  CHANGE_STREAMS_PER_SITE: count
    .default(400)
    .describe("Open change streams per site (IPv6: /48) and gateway, of all its users together."),
  BODY_BYTES: bytes.default(67_108_864).describe("Bytes of request bodies in memory."),
  BODY_BYTES_PER_USER: bytes.default(8_388_608).describe("Bytes of request bodies in memory per user."),
  BODY_BYTES_PER_ADDRESS: bytes
    .default(4_194_304)
    .describe("Bytes of request bodies in memory per address without a credential."),
  TRUST_PROXY_HOPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe("Number of trusted proxies in front of the gateway."),
  STALE_CREDENTIAL_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(30)
    .describe("How long verified credentials remain valid while identity is unavailable; 0 disables this."),
});
/** Settings of the gateway. */
export const GatewayConfig = settings.check(checkPublicUrl);
export type GatewayConfig = z.infer<typeof GatewayConfig>;

/** Secrets that sign requests to each service. */
export function tenancySecretsOf(config: GatewayConfig): Readonly<Record<Audience, readonly string[]>> {
  return { identity: config.GATEWAY_TO_IDENTITY_SECRETS, topology: config.GATEWAY_TO_TOPOLOGY_SECRETS };
}

/** Rate limits. */
export function allowancesOf(config: GatewayConfig): Pick<LimiterOptions, "perUser" | "perAddress" | "perLookup"> {
  return {
    perUser: { perMinute: config.RATE_LIMIT_PER_MINUTE, burst: config.RATE_LIMIT_BURST },
    perLookup: { perMinute: config.LOOKUP_RATE_LIMIT_PER_MINUTE, burst: config.LOOKUP_RATE_LIMIT_BURST },
    perAddress: { perMinute: config.ANONYMOUS_RATE_LIMIT_PER_MINUTE, burst: config.ANONYMOUS_RATE_LIMIT_BURST },
  };
}

/** Maximum concurrent use by users, organizations and addresses. */
export function inFlightLimitsOf(config: GatewayConfig): InFlightLimits {
  const of = (kind: HolderKind, bodyBytes: number): InFlightLimits[HolderKind] => {
    const name = kind.toUpperCase() as Uppercase<HolderKind>;
    return {
      requests: config[`IN_FLIGHT_PER_${name}`],
      atServices: config[`AT_SERVICES_PER_${name}`],
      uploads: config.UPLOADS_PER_ORGANIZATION,
      // None without a credential.
      streams: kind === "address" ? 0 : config[`CHANGE_STREAMS_PER_${name as Exclude<typeof name, "ADDRESS">}`],
      bodyBytes,
    };
  };
  // Several organizations may share an address.
  const ofMany = (kind: "client" | "site"): InFlightLimits[HolderKind] => ({
    ...of(kind, config.BODY_BYTES),
    uploads: Infinity,
  });
  return {
    user: of("user", config.BODY_BYTES_PER_USER),
    organization: of("organization", config.BODY_BYTES),
    address: of("address", config.BODY_BYTES_PER_ADDRESS),
    client: ofMany("client"),
    site: ofMany("site"),
    bodyBytes: config.BODY_BYTES,
    streams: config.CHANGE_STREAMS,
    atService: MOST_WAITING,
  };
}
