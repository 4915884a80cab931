import { z } from "zod";
import {
  byId,
  filters,
  Id,
  Instant,
  IpAddress,
  listQuery,
  Name,
  Nothing,
  PermissionLevel,
  QUOTA_ERRORS,
  serverFields,
  Tags,
  Timestamp,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { Cidr } from "./subnets.js";
import { patchOf } from "./merge-patch.js";
import { keepsWebhooks, MadeWebhooks } from "./webhooks.js";

/** What a key is for: everything that its level allows, or only to import into its networks. */
export const KEY_SCOPES = ["full", "collect"] as const;
export const KeyScope = z.enum(KEY_SCOPES).meta({ id: "KeyScope" });
export type KeyScope = z.infer<typeof KeyScope>;

/** A user API key. `key` is masked except on creation. @see docs/api.md "Authentication" */
export const UserApiKey = z
  .object({
    ...serverFields,
    key: z.string().describe("`nts_u_`, the public id, and asterisks; the full secret only on creation."),
    last_used: Timestamp.nullable(),
    name: z.string(),
    organization_id: Id,
    user_id: Id,
    tags: z.array(z.string()),
    expires_at: Timestamp.nullable(),
    ends_at: Timestamp.nullable().describe(
      "When the current secret ends: at `expires_at`, or earlier by `max_key_lifetime_days` of the organization.",
    ),
    is_enabled: z.boolean(),
    network_ids: z.array(Id).describe("The networks the key may use now."),
    restricted: z.boolean().describe("True if `network_ids` is a fixed list; false if the key follows its user."),
    permissions: PermissionLevel,
    scope: KeyScope.describe("`collect`: it can only import, follow its imports, and read its own rights."),
    allowed_ips: z.array(z.string()).describe("Address blocks from which it may be used; empty for no restriction."),
    rate_limit_per_minute: z.int().nullable().describe("null: only the user's limit applies."),
    previous: z
      .object({ expires_at: Timestamp, last_used: Timestamp.nullable() })
      .nullable()
      .describe("The secret before the last rotation, while it is still valid."),
    assistant: z
      .object({
        name: z.string().describe("What it calls itself."),
        ends_at: Timestamp.describe("When its access ends, unless it renews it before."),
      })
      .meta({ id: "KeyAssistant" })
      .nullable()
      .describe("The assistant that was let in with this key, which it renews itself; null for keys that people made."),
  })
  .meta({ id: "UserApiKey" });
export type UserApiKey = z.infer<typeof UserApiKey>;

/** Maximum entries of `allowed_ips`. */
export const MOST_ALLOWED_BLOCKS = 50;

/** Maximum grace period of a rotation, in seconds. */
export const LONGEST_GRACE_SECONDS = 604_800;

/** Maximum keys per leak report. */
export const MOST_LEAKED = 10;

/** Days covered by usage statistics, and maximum addresses per day. */
export const USAGE_DAYS = 30;
export const USAGE_ADDRESSES = 20;

/** Normalizes an ISO 8601 date-time with an offset to UTC with milliseconds. */
const Moment = Instant.overwrite((moment) =>
  Number.isNaN(Date.parse(moment)) ? moment : new Date(moment).toISOString(),
);

const AllowedAddresses = z
  .array(z.union([IpAddress, Cidr], { error: "must be an IP address, or a block in CIDR notation" }))
  .max(MOST_ALLOWED_BLOCKS);

/** Body of both creation and update. */
export const UserApiKeyInput = z
  .object({
    name: Name,
    organization_id: Id.describe("The caller's organization."),
    user_id: Id.describe("The caller."),
    tags: Tags,
    expires_at: Moment.nullable().optional().describe("null means never; if absent, unchanged."),
    is_enabled: z.boolean().optional().describe("Default true; if absent, unchanged."),
    network_ids: z
      .array(Id)
      .max(1000)
      .nullable()
      .optional()
      .describe(
        "A list restricts the key to these networks; null removes the restriction; if absent, unchanged (on creation: unrestricted).",
      ),
    permissions: PermissionLevel.optional().describe(
      "Default Viewer, with the scope `collect` Member; if absent, unchanged.",
    ),
    scope: KeyScope.optional().describe(
      "`collect` limits the key to imports, their jobs and `whoami`. Default full; if absent, unchanged.",
    ),
    allowed_ips: AllowedAddresses.optional().describe(
      "Addresses or CIDR blocks; empty for no restriction; if absent, unchanged.",
    ),
    rate_limit_per_minute: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .optional()
      .describe("In addition to the user's limit, which still applies; null for none; if absent, unchanged."),
  })
  .meta({ id: "UserApiKeyInput" });
export type UserApiKeyInput = z.infer<typeof UserApiKeyInput>;

const common = { upstream: "identity", credential: "session", permission: "Viewer", tag: "User API keys" } as const;
const inputErrors = ["permission_denied", "invalid_reference"] as const;

export const listKeys = endpoint({
  ...common,
  operationId: "list_user_api_keys",
  method: "get",
  path: "/api/v1/auth/keys",
  summary: "List the caller's own API keys",
  query: listQuery(["created_at", "name", "updated_at"], {
    network_id: filters.network_id.describe("Only keys that may use this network."),
    ids: filters.ids,
    user_id: Id.optional().describe("The keys of this service account instead of one's own."),
    of_assistants: z
      .boolean()
      .optional()
      .describe("Only keys of assistants that were let in, or only keys that people made."),
  }),
  response: UserApiKey,
  list: true,
  errors: [],
});

export const createKey = endpoint({
  ...common,
  showsSecret: true,
  operationId: "create_user_api_key",
  method: "post",
  path: "/api/v1/auth/keys",
  summary: "Create an API key; its secret is only returned here",
  description:
    "Also for a service account, by those who manage it: with its `user_id`, and never more rights than it has.",
  body: UserApiKeyInput,
  etag: true,
  response: z.object({ api_key: UserApiKey, key: z.string() }).meta({ id: "CreatedUserApiKey" }),
  errors: ["confirmation_required", ...inputErrors, ...QUOTA_ERRORS, "write_conflict"],
});

export const getKey = endpoint({
  ...common,
  operationId: "get_user_api_key_by_id",
  method: "get",
  path: "/api/v1/auth/keys/{id}",
  summary: "Get an API key",
  params: byId,
  isVolatile: true,
  response: UserApiKey,
  errors: ["not_found"],
});

export const updateKey = endpoint({
  ...common,
  operationId: "update_user_api_key",
  method: "put",
  path: "/api/v1/auth/keys/{id}",
  summary: "Update an API key",
  description: "A reduction of rights is in effect on every gateway when the response arrives.",
  params: byId,
  body: UserApiKeyInput,
  response: UserApiKey,
  errors: ["confirmation_required", "not_found", ...inputErrors, "precondition_failed", "write_conflict"],
});

export const patchKey = patchOf(updateKey);

export const rotateKey = endpoint({
  ...common,
  showsSecret: true,
  operationId: "rotate_user_api_key",
  method: "post",
  path: "/api/v1/auth/keys/{id}/rotate",
  summary: "Rotate the secret of an API key; the old one expires at once, or after a grace period",
  params: byId,
  query: z.strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(LONGEST_GRACE_SECONDS)
      .default(0)
      .describe("How long the old secret stays valid."),
  }),
  etag: true,
  response: z.string().describe("The new secret."),
  errors: ["confirmation_required", "not_found", "precondition_failed", "write_conflict"],
});

export const finishRotation = endpoint({
  ...common,
  operationId: "finish_user_api_key_rotation",
  method: "post",
  path: "/api/v1/auth/keys/{id}/rotate/finish",
  summary: "End the grace period of a rotation, so that the old secret expires at once",
  params: byId,
  response: UserApiKey,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

/** Usage of a key on one day. */
export const KeyUsageDay = z
  .object({
    day: z.iso.date().describe("In UTC."),
    requests: z.int(),
    refusals: z
      .int()
      .describe("Requests refused by the gateway because of the address, a rate limit, or missing rights."),
    addresses: z.array(z.string()).max(USAGE_ADDRESSES).describe("Client addresses; for IPv6, one per /64."),
  })
  .meta({ id: "KeyUsageDay" });
export type KeyUsageDay = z.infer<typeof KeyUsageDay>;

export const getKeyUsage = endpoint({
  ...common,
  operationId: "get_user_api_key_usage",
  method: "get",
  path: "/api/v1/auth/keys/{id}/usage",
  summary: "Get daily usage of an API key for the last 30 days, ending today",
  description:
    "Delayed by a few seconds. Approximate: a gateway crash loses the counts of the last seconds, and a report of a gateway that has to be repeated may count twice.",
  params: byId,
  response: z.object({ days: z.array(KeyUsageDay) }).meta({ id: "KeyUsage" }),
  errors: ["not_found"],
});

export const deleteKey = endpoint({
  ...common,
  operationId: "delete_user_api_key",
  method: "delete",
  path: "/api/v1/auth/keys/{id}",
  summary: "Delete an API key",
  description: "Webhooks made with it are paused.",
  params: byId,
  query: keepsWebhooks,
  response: MadeWebhooks,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

const ofOrganization = {
  upstream: "identity",
  credential: "any",
  permission: "Owner",
  wholeOrganization: true,
  tag: "User API keys",
} as const;

export const listOrganizationKeys = endpoint({
  ...ofOrganization,
  operationId: "list_organization_api_keys",
  method: "get",
  path: "/api/v1/organizations/keys",
  summary: "List the API keys of all users of the organization",
  query: listQuery(["created_at"], {
    network_id: filters.network_id.describe("Only keys that may use this network."),
    ids: filters.ids,
    user_id: Id.optional().describe("Only keys of this user."),
  }),
  response: UserApiKey,
  list: true,
  errors: [],
});

export const deleteOrganizationKey = endpoint({
  ...ofOrganization,
  operationId: "delete_organization_api_key",
  method: "delete",
  path: "/api/v1/organizations/keys/{id}",
  summary: "Delete an API key of any user of the organization",
  description: "Webhooks made with it are paused.",
  params: byId,
  query: keepsWebhooks,
  response: MadeWebhooks,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const revokeLeakedKeys = endpoint({
  upstream: "identity",
  credential: "none",
  permission: null,
  tag: "User API keys",
  operationId: "revoke_leaked_api_keys",
  endsAccess: true,
  method: "post",
  path: "/api/auth/keys/revoke",
  summary: "Revoke leaked API keys; anyone who holds a key may revoke it, without a credential",
  description:
    "The response does not reveal whether a key was valid. If the old secret of a rotated key has leaked, the new one stays valid. " +
    "Webhooks made with the keys are paused.",
  body: z.object({ keys: z.array(z.string().max(200)).min(1).max(MOST_LEAKED) }).meta({ id: "LeakedKeys" }),
  response: Nothing,
  errors: ["write_conflict"],
});
