import { z } from "zod";
import { endpoint } from "./endpoint.js";

/** The version of the API; raised only on breaking changes. @see docs/api.md "Versions" */
export const API_VERSION = 1;

const common = { upstream: "gateway", credential: "none", permission: null, tag: "System", errors: [] } as const;

/** What answers: it is in the `meta` of every answer too. */
export const Version = z.object({ api_version: z.int(), server_version: z.string() }).meta({ id: "Version" });

export const getVersion = endpoint({
  ...common,
  operationId: "get_version",
  method: "get",
  path: "/api/version",
  summary: "The versions of API and server",
  response: Version,
});

export const getHealth = endpoint({
  ...common,
  operationId: "get_health",
  method: "get",
  path: "/api/health",
  summary: "Whether the gateway answers",
  response: z.object({ status: z.literal("ok") }).meta({ id: "Health" }),
});
