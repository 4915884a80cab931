import { z } from "zod";
import { AuditAction, AuditedEntity, AuditedState } from "./audit.js";
import { Actor } from "./changes.js";
import { Id, PermissionLevel, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

// What the processes ask each other over HTTP. None of it is reachable through the gateway: a caller must carry a
// tenancy header that names a process.

const common = { credential: "process", permission: null, tag: "Internal", errors: [] } as const;

/** `"all"` networks of the organization, or a list of them that may be empty. */
export const NetworkScope = z.union([z.literal("all"), z.array(z.string())]);
export type NetworkScope = z.infer<typeof NetworkScope>;

/** Who a credential stands for, with the rights it has at this moment. @see docs/api.md "Permissions" */
export const VerifiedPrincipal = z.object({
  kind: z.enum(["key", "session"]),
  credential_id: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  /** What changes are told to be by; identity of an earlier version does not say. */
  email: z.string().optional(),
  permission: PermissionLevel,
  networks: NetworkScope,
});
export type VerifiedPrincipal = z.infer<typeof VerifiedPrincipal>;

/** Blocks of addresses from which a key may be used, empty for all; and how often. */
export const KeyLimits = z.object({ allowed_ips: z.array(z.string()), per_minute: z.number().nullable() });
export type KeyLimits = z.infer<typeof KeyLimits>;

/**
 * What identity knows of a credential. `number` is that of the newest key change read before the credential was.
 * `expires_in_ms` is a duration because the clocks of two machines differ; null means never.
 */
export const Verification = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("valid"),
    number: z.number(),
    principal: VerifiedPrincipal,
    expires_in_ms: z.number().nullable(),
    /** What the key is kept to, beside the rights of its principal; absent when nothing. */
    limits: KeyLimits.optional(),
    /** The secret is the one before the last rotation. */
    is_previous: z.boolean().optional(),
  }),
  z.object({
    status: z.literal("refused"),
    number: z.number(),
    code: z.enum([
      ...([
        "api_key_invalid",
        "api_key_expired",
        "api_key_disabled",
        "api_access_disabled",
        "session_expired",
      ] as const),
      "second_factor_required",
    ]),
    /** The ids a later change of which may turn this answer round. */
    subjects: z.array(z.string()),
  }),
]);
export type Verification = z.infer<typeof Verification>;

/** `hash` is the SHA-256 of the whole secret, in hexadecimal. */
export const verifyCredential = endpoint({
  ...common,
  operationId: "internal_verify",
  method: "post",
  path: "/internal/verify",
  upstream: "identity",
  summary: "Who a credential stands for",
  body: z.object({
    kind: z.enum(["key", "session"]),
    hash: z.string(),
    /** A gateway of an earlier version enforces no limits of keys: those that have some are refused there. */
    enforces_limits: z.boolean().default(false),
  }),
  response: Verification,
});

/** One change of rights: everything known of the `subjects` (ids of keys, sessions, users, organizations) is void. */
export const KeyChange = z.object({ number: z.number(), subjects: z.array(z.string()) });
export type KeyChange = z.infer<typeof KeyChange>;

/** `reset`: changes after `after` are no longer kept, so that everything known is void. */
export const KeyChanges = z.object({
  changes: z.array(KeyChange),
  highest: z.number(),
  reset: z.boolean(),
  live_gateways: z.number(),
});
export type KeyChanges = z.infer<typeof KeyChanges>;

/**
 * Asking renews the lease of the gateway and registers it; `after` is the number it has applied. One that is `leaving` has
 * answered its last request, gets no lease, and is waited for no longer.
 */
export const pullKeyChanges = endpoint({
  ...common,
  operationId: "internal_key_changes",
  method: "get",
  path: "/internal/key-changes",
  upstream: "identity",
  summary: "Changes of rights after a number",
  query: z.strictObject({ after: z.int().min(0), gateway: z.string(), leaving: z.boolean().optional() }),
  response: KeyChanges,
});

/** Addresses from which a key was used that are told at a time. */
export const MOST_USED_ADDRESSES = 8;

const KeyUse = z.object({
  key_id: Id,
  used_at: Timestamp,
  /** A gateway of an earlier version does not say. */
  addresses: z.array(z.string().max(64)).max(MOST_USED_ADDRESSES).default([]),
  /** By the secret before the last rotation. */
  is_previous: z.boolean().default(false),
  /** Since it was told last; a gateway of an earlier version does not count. */
  requests: z.int().min(0).default(0),
});

/** Moves `last_used` forward, never back, and notes addresses that are new. */
export const recordKeyUses = endpoint({
  ...common,
  operationId: "internal_key_uses",
  method: "post",
  path: "/internal/key-uses",
  upstream: "identity",
  summary: "When and from where API keys were used",
  body: z.object({
    uses: z.array(KeyUse).max(1000),
    /** Requests of keys that a gateway refused, which are no uses. */
    refusals: z
      .array(z.object({ key_id: Id, count: z.int().min(1) }))
      .max(1000)
      .default([]),
  }),
  response: z.null(),
});

/** The networks of an organization that exist. */
export const listNetworkIds = endpoint({
  ...common,
  operationId: "internal_network_ids",
  method: "get",
  path: "/internal/organizations/{id}/networks",
  upstream: "topology",
  summary: "Ids of an organization's networks",
  params: z.object({ id: Id }),
  response: z.array(z.string()),
});

/** The organization is deleted: nothing of it is sent or answered any more, and all of it is deleted soon. May be asked again. */
export const removeOrganization = endpoint({
  ...common,
  operationId: "internal_remove_organization",
  method: "delete",
  path: "/internal/organizations/{id}",
  upstream: "topology",
  summary: "Deletes what belongs to an organization",
  params: z.object({ id: Id }),
  response: z.null(),
});

/** Which of the given ids are managed tags of an organization. */
export const findTagIds = endpoint({
  ...common,
  operationId: "internal_tag_ids",
  method: "post",
  path: "/internal/organizations/{id}/tags",
  upstream: "topology",
  summary: "Those of the ids that are tags of the organization",
  params: z.object({ id: Id }),
  body: z.object({ ids: z.array(Id).max(1000) }),
  response: z.array(z.string()),
});

/** Notes that are asked for at a time. */
export const MOST_AUDIT_NOTES = 50;

/** What topology did, and the audit log is to tell. Its id is the same however often it is asked for. */
export const AuditNote = z.object({
  id: z.string(),
  organization_id: z.string(),
  action: AuditAction,
  entity: AuditedEntity,
  entity_id: z.string(),
  name: z.string(),
  before: AuditedState,
  after: AuditedState,
  actor: Actor.nullable(),
  address: z.string(),
  request_id: z.string().nullable(),
  comment: z.string().nullable(),
});
export type AuditNote = z.infer<typeof AuditNote>;

export const listAuditNotes = endpoint({
  ...common,
  operationId: "internal_audit_notes",
  method: "get",
  path: "/internal/audit-notes",
  upstream: "topology",
  summary: "What the audit log is to tell, by organization and in the order of commit",
  query: z.strictObject({ after: z.string().max(200).default("") }),
  response: z.array(AuditNote).max(MOST_AUDIT_NOTES),
});

/** Forgets notes that are in the audit log; those that are forgotten already do no harm. */
export const confirmAuditNotes = endpoint({
  ...common,
  operationId: "internal_audit_notes_written",
  method: "post",
  path: "/internal/organizations/{id}/audit-notes",
  upstream: "topology",
  summary: "Which notes of an organization are in the audit log",
  params: z.object({ id: Id }),
  body: z.object({ ids: z.array(z.string().max(200)).max(MOST_AUDIT_NOTES) }),
  response: z.null(),
});
