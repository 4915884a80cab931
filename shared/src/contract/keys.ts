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
  serverFields,
  Tags,
  Timestamp,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { Cidr } from "./subnets.js";
import { patchOf } from "./merge-patch.js";

/** A user API key. `key` is masked everywhere but in the answers of create. @see docs/api.md "Authentication" */
export const UserApiKey = z
  .object({
    ...serverFields,
    key: z.string().describe("`nts_u_`, the public id, and asterisks; the whole secret only when the key is created."),
    last_used: Timestamp.nullable(),
    name: z.string(),
    organization_id: Id,
    user_id: Id,
    tags: z.array(z.string()),
    expires_at: Timestamp.nullable(),
    is_enabled: z.boolean(),
    network_ids: z.array(Id).describe("The networks the key may use now."),
    restricted: z.boolean().describe("True when `network_ids` is a fixed list; false when the key follows its user."),
    permissions: PermissionLevel,
    allowed_ips: z.array(z.string()).describe("Blocks of addresses from which it may be used; empty for everywhere."),
    rate_limit_per_minute: z.int().nullable().describe("null: the user's own limit alone."),
    previous: z
      .object({ expires_at: Timestamp, last_used: Timestamp.nullable() })
      .nullable()
      .describe("The secret before the last rotation, while that still works."),
  })
  .meta({ id: "UserApiKey" });
export type UserApiKey = z.infer<typeof UserApiKey>;

/** Blocks of addresses that a key can be kept to. */
export const MOST_ALLOWED_BLOCKS = 50;

/** Seconds for which the secret before a rotation can go on working. */
export const LONGEST_GRACE_SECONDS = 604_800;

/** Secrets that are reported as leaked at a time. */
export const MOST_LEAKED = 10;

/** Days for which is told how often a key was used, and addresses that are told of each. */
export const USAGE_DAYS = 30;
export const USAGE_ADDRESSES = 20;

/** UTC with milliseconds from any ISO 8601 date-time with an offset; anything else stays as it was, and is refused. */
const Moment = Instant.overwrite((moment) =>
  Number.isNaN(Date.parse(moment)) ? moment : new Date(moment).toISOString(),
);

const AllowedAddresses = z
  .array(z.union([IpAddress, Cidr], { error: "must be an address, or a block in CIDR notation" }))
  .max(MOST_ALLOWED_BLOCKS);

/** Creation and update take the same members. */
export const UserApiKeyInput = z
  .object({
    name: Name,
    organization_id: Id.describe("The caller's own."),
    user_id: Id.describe("The caller's own."),
    tags: Tags,
    expires_at: Moment.nullable().optional().describe("null means never; absent keeps."),
    is_enabled: z.boolean().optional().describe("Default true; absent keeps."),
    network_ids: z
      .array(Id)
      .max(1000)
      .nullable()
      .optional()
      .describe(
        "A list restricts the key to it; null lifts the restriction; absent keeps (on creation: not restricted).",
      ),
    permissions: PermissionLevel.optional().describe("Default Viewer; absent keeps."),
    allowed_ips: AllowedAddresses.optional().describe("Addresses or CIDR blocks; absent keeps, an empty list lifts."),
    rate_limit_per_minute: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .optional()
      .describe("Below that of the user, which counts all the same; absent keeps, null lifts."),
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
  summary: "Create an API key; the answer is the only place that shows its secret",
  body: UserApiKeyInput,
  response: z.object({ api_key: UserApiKey, key: z.string() }).meta({ id: "CreatedUserApiKey" }),
  errors: ["confirmation_required", ...inputErrors, "quota_exceeded", "write_conflict"],
});

export const getKey = endpoint({
  ...common,
  operationId: "get_user_api_key_by_id",
  method: "get",
  path: "/api/v1/auth/keys/{id}",
  summary: "Get an API key",
  params: byId,
  response: UserApiKey,
  errors: ["not_found"],
});

export const updateKey = endpoint({
  ...common,
  operationId: "update_user_api_key",
  method: "put",
  path: "/api/v1/auth/keys/{id}",
  summary: "Update an API key",
  description: "A change that takes rights away holds on every gateway when the answer arrives.",
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
  summary: "Give an API key a new secret; the old one is dead when the answer arrives, or after the grace",
  params: byId,
  query: z.strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(LONGEST_GRACE_SECONDS)
      .default(0)
      .describe("How long the old secret goes on working, beside the new one."),
  }),
  response: z.string().describe("The new secret."),
  errors: ["confirmation_required", "not_found", "precondition_failed", "write_conflict"],
});

export const finishRotation = endpoint({
  ...common,
  operationId: "finish_user_api_key_rotation",
  method: "post",
  path: "/api/v1/auth/keys/{id}/rotate/finish",
  summary: "End the secret before the last rotation, which is dead when the answer arrives",
  params: byId,
  response: UserApiKey,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

/** How a key was used on a day. */
export const KeyUsageDay = z
  .object({
    day: z.iso.date().describe("In UTC."),
    requests: z.int(),
    refusals: z
      .int()
      .describe("Requests that the gateway refused: from elsewhere, beyond a limit, or beyond its rights."),
    addresses: z.array(z.string()).max(USAGE_ADDRESSES).describe("From which it was used; of IPv6, of each /64 one."),
  })
  .meta({ id: "KeyUsageDay" });
export type KeyUsageDay = z.infer<typeof KeyUsageDay>;

export const getKeyUsage = endpoint({
  ...common,
  operationId: "get_user_api_key_usage",
  method: "get",
  path: "/api/v1/auth/keys/{id}/usage",
  summary: "How often an API key was used, on each of the last 30 days, today last",
  description: "Some seconds behind. A gateway that dies loses what it has counted in the last seconds.",
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
  params: byId,
  response: Nothing,
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
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const revokeLeakedKeys = endpoint({
  upstream: "identity",
  credential: "none",
  permission: null,
  tag: "User API keys",
  operationId: "revoke_leaked_api_keys",
  method: "post",
  path: "/api/auth/keys/revoke",
  summary: "End API keys that have leaked: who holds one may end it, without a credential",
  description: "Answers the same whether a key was known or not. A key whose old secret has leaked keeps the new one.",
  body: z.object({ keys: z.array(z.string().max(200)).min(1).max(MOST_LEAKED) }).meta({ id: "LeakedKeys" }),
  response: Nothing,
  errors: ["write_conflict"],
});
