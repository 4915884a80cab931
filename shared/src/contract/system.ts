import { z } from "zod";
import { endpoint } from "./endpoint.js";

/** The API version, incremented only for breaking changes. @see docs/api.md "Versions" */
export const API_VERSION = 1;

const common = { upstream: "gateway", credential: "none", permission: null, tag: "System", errors: [] } as const;

/** Versions, also in the `meta` of every response. */
export const Version = z.object({ api_version: z.int(), server_version: z.string() }).meta({ id: "Version" });

export const getVersion = endpoint({
  ...common,
  operationId: "get_version",
  method: "get",
  path: "/api/version",
  summary: "Get the versions of the API and the server",
  description: "Needs no credential. `api_version` changes only if clients have to change.",
  response: Version,
});

export const getHealth = endpoint({
  ...common,
  operationId: "get_health",
  method: "get",
  path: "/api/health",
  summary: "Check that the gateway is up",
  description: "Needs no credential, and counts against no rate limit.",
  response: z.object({ status: z.literal("ok") }).meta({ id: "Health" }),
});
