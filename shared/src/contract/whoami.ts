import { z } from "zod";
import { Id, PermissionLevel, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

/** What limits a caller, and which right it limits. */
const Limitation = z
  .object({
    by: z.enum(["key", "user", "organization"]).meta({ id: "LimitingParty" }),
    right: z.enum(["permissions", "network_ids"]).meta({ id: "LimitedRight" }),
  })
  .meta({ id: "Limitation" });
export type Limitation = z.infer<typeof Limitation>;

/** The principal of a credential and its current rights. */
export const Whoami = z
  .object({
    kind: z.enum(["key", "session"]).meta({ id: "CredentialKind" }),
    credential_id: Id,
    name: z.string().nullable().describe("Name of the API key; null for a session."),
    expires_at: Timestamp.nullable().describe("null for an API key that does not expire."),
    user: z.object({ id: Id, email: z.string(), email_verified: z.boolean(), permissions: PermissionLevel }),
    organization: z.object({ id: Id, name: z.string(), api_access_enabled: z.boolean() }),
    sends_mail: z.boolean().describe("Whether this server sends mail."),
    permissions: PermissionLevel.describe("Effective level: the lower of the key's and the user's."),
    network_ids: z.array(Id).describe("The networks that are currently accessible."),
    limited_by: z
      .array(Limitation)
      .describe(
        "What limits the rights. `key`: created for a lower level, or restricted to networks. `user`: has a lower level than the " +
          "key, or access to some networks only. `organization`: some of those networks no longer exist.",
      ),
  })
  .meta({ id: "Whoami" });
export type Whoami = z.infer<typeof Whoami>;

export const whoami = endpoint({
  upstream: "identity",
  tag: "Authentication",
  operationId: "whoami",
  method: "get",
  path: "/api/v1/auth/whoami",
  credential: "any",
  collects: true,
  permission: "Viewer",
  summary: "Get the principal of this request and its current rights",
  description: "As in every response, the `X-RateLimit-…` headers show the remaining requests.",
  response: Whoami,
  errors: ["api_key_invalid", "session_expired"],
});
