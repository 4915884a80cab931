import { z } from "zod";

/** A setting is missing or wrong; the message lists every one, a line each, and never a value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads settings from the environment; an empty variable is the same as a missing one. @throws ConfigError */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new ConfigError(`These settings are missing or wrong:\n${faults.join("\n")}`);
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

/** Base URLs of the replicas of a service. They are `http`: between the processes a mesh or a tunnel encrypts, if anything. */
export const UrlList = listOf(
  z.url({ protocol: /^http$/ }).refine((url) => new URL(url).pathname === "/", "must not have a path"),
);

/** Origins of web pages as browsers send them: `https://host` or with a port, and nothing after that. */
export const OriginList = listOf(z.string().refine(isOrigin, "must be origins, such as https://app.example.com"));

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Secrets that sign what processes tell each other; the first one signs, all are accepted. */
export const SecretList = listOf(z.string().min(32, "each secret needs at least 32 characters"));

/** Settings that every process has. */
export const commonSettings = {
  HOST: z.string().default("127.0.0.1").describe("Address to listen on."),
  PORT: z.coerce.number().int().min(0).max(65_535).describe("Port of the API."),
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).describe("Port of /livez, /readyz and /metrics."),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  TENANCY_SECRETS: SecretList.describe("Comma-separated; the first one signs, all are accepted."),
  NATS_URL: z.string().describe("nats://[user:password@]host:port, comma-separated for a cluster."),
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
    .describe("Share of the traces that begin here which is recorded."),
};
