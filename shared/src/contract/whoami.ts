import { z } from "zod";
import { Id, PermissionLevel, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

/** Something that limits a caller: what does, and which right it limits. */
const Cut = z
  .object({
    by: z.enum(["key", "user", "organization"]),
    right: z.enum(["permissions", "network_ids"]),
  })
  .meta({ id: "Cut" });
export type Cut = z.infer<typeof Cut>;

/** Who a credential stands for, and what it may do at this moment. */
export const Whoami = z
  .object({
    kind: z.enum(["key", "session"]),
    credential_id: Id,
    name: z.string().nullable().describe("Of the API key; null for a session."),
    expires_at: Timestamp.nullable().describe("null for an API key that does not expire."),
    user: z.object({ id: Id, email: z.string(), permissions: PermissionLevel }),
    organization: z.object({ id: Id, name: z.string(), api_access_enabled: z.boolean() }),
    permissions: PermissionLevel.describe("The level that counts: the lower of the key's and the user's."),
    network_ids: z.array(Id).describe("The networks that can be used now."),
    limited_by: z
      .array(Cut)
      .describe(
        "Why it is not more. `key`: made for a lower level, or restricted to networks. `user`: has a lower level than the " +
          "key was made for, or is granted single networks. `organization`: some of those networks do not exist any more.",
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
  permission: "Viewer",
  summary: "Who the credential of this request stands for, and what it may do now",
  description: "The headers `X-RateLimit-…` of this answer, as of every one, tell how many requests are possible.",
  response: Whoami,
  errors: ["api_key_invalid", "session_expired"],
});
