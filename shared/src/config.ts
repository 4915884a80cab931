import { readFileSync } from "node:fs";
import { z } from "zod";
import { DEFAULT_MAX_IDEMPOTENCY_KEYS } from "./contract/writes.js";
import { SHARE_LIMITS } from "./quotas.js";

/** Missing or invalid settings; the message lists each on a line, without its value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads settings from the environment; empty variables count as missing. `NAME_FILE` may name a file that contains the
 * value.
 *
 * @throws ConfigError
 */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.infer<Schema> {
  const given: NodeJS.ProcessEnv = {};
  const faults: string[] = [];
  for (const name of Object.keys(schema.shape)) {
    const { [name]: text = "", [`${name}_FILE`]: file = "" } = env;
    if (text !== "" && file !== "") faults.push(`  ${name}: is given twice, also by ${name}_FILE`);
    const value = file === "" ? text : textIn(file);
    if (value === null) faults.push(`  ${name}_FILE: cannot be read`);
    else if (value !== "") given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success && faults.length === 0) return result.data;
  for (const issue of result.error?.issues ?? []) faults.push(`  ${issue.path.join(".")}: ${issue.message}`);
  throw new ConfigError(`These settings are missing or wrong:\n${faults.join("\n")}`);
}

/** The text of a file without its final line break; null if unreadable. */
export function textIn(file: string): string | null {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch {
    return null;
  }
}

/** A comma-separated list with at least one element. */
function listOf(item: z.ZodType<string, string>) {
  return z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item).min(1));
}

const withoutEndSlash = (url: string): string => url.replace(/\/+$/, "");

/**
 * Base URLs of the replicas of a service; always `http`, as encryption between processes is left to a mesh or tunnel.
 */
export const UrlList = listOf(
  z.url({ protocol: /^http$/ }).refine((url) => new URL(url).pathname === "/", "must not have a path"),
);

/** Origins of web pages as browsers send them: scheme, host and optional port. */
export const OriginList = listOf(z.string().refine(isOrigin, "must be origins, such as https://app.example.com"));

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** URIs at which people can be reached, as in RFC 9116. */
export const ContactList = listOf(
  z
    .string()
    .refine((text) => /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text), "must be mailto: or https: URIs"),
);

/** Secrets that sign internal requests; the first one signs, all are accepted. */
export const SecretList = listOf(z.string().min(32, "each secret needs at least 32 characters"));

/**
 * Addresses of the bus: `nats://` or `tls://`, the same for all servers of a cluster, with credentials in the first.
 */
const BusUrl = z.string().refine((text) => {
  const urls = text.split(",").map((part) => (URL.canParse(part.trim()) ? new URL(part.trim()) : null));
  const [first] = urls;
  return (
    (first?.protocol === "nats:" || first?.protocol === "tls:") &&
    urls.every((url) => url !== null && url.protocol === first.protocol && url.hostname !== "")
  );
}, "must be nats://host:port or tls://host:port, comma-separated for a cluster, all with the same scheme");

/**
 * Signing secrets of the tenancy header by direction. A process gets only its own, so that a compromised one cannot
 * impersonate others.
 */
export const tenancySettings = {
  GATEWAY_TO_IDENTITY_SECRETS: SecretList.describe("Comma-separated; the first one signs, all are accepted."),
  GATEWAY_TO_TOPOLOGY_SECRETS: SecretList.describe("Comma-separated; the first one signs, all are accepted."),
  IDENTITY_TO_TOPOLOGY_SECRETS: SecretList.describe("Comma-separated; the first one signs, all are accepted."),
};

/** Limits of an organization's concurrent database use; settings of every process that has a database. */
export const shareSettings = {
  ORGANIZATION_OPERATIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(SHARE_LIMITS.operations)
    .describe(
      "Concurrent operations and transactions per organization, on 16 connections; others wait, and then get 429.",
    ),
  ORGANIZATION_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .default(SHARE_LIMITS.streams)
    .describe(
      "Concurrent unlimited lists and graphs, and long lists of identity, per organization; others wait, and then get 429.",
    ),
};

/** Settings of services whose writes take idempotency keys. */
export const writeSettings = {
  MAX_IDEMPOTENCY_KEYS_PER_USER: z.coerce
    .number()
    .int()
    .min(1)
    .default(DEFAULT_MAX_IDEMPOTENCY_KEYS)
    .describe("Writes with an idempotency key that each service stores per user and day; further ones get 403."),
};

/** Settings of every process. */
export const commonSettings = {
  HOST: z.string().default("127.0.0.1").describe("Address to listen on."),
  PORT: z.coerce.number().int().min(0).max(65_535).describe("Port of the API."),
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).describe("Port of /livez, /readyz and /metrics."),
  LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info")
    .describe("Minimum level of log lines."),
  NATS_URL: BusUrl.describe("nats://user:password@host:port, comma-separated for a cluster; tls:// enforces TLS."),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .overwrite(withoutEndSlash)
    .optional()
    .describe("Base URL of an OTLP receiver over HTTP; spans are recorded only when it is set."),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("Share of traces started here that are recorded."),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe("Milliseconds between becoming unready and closing the port when stopping."),
};
