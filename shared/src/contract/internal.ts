import { z } from "zod";
import { AuditAction, AuditedEntity, AuditedState } from "./audit.js";
import { Actor } from "./changes.js";
import { Id, PermissionLevel, Timestamp } from "./common.js";
import { CollectorJob, CollectorSchedule, CollectorTargets, CollectorWindow } from "./collectors.js";
import { endpoint } from "./endpoint.js";
import { NewsEvent } from "./notifications.js";
import { HiddenPart } from "./shares.js";
import { MadeWebhooks } from "./webhooks.js";

// HTTP operations between processes. They are not reachable through the gateway: a caller needs a tenancy header that names
// a process.

const common = { credential: "process", permission: null, tag: "Internal", errors: [] } as const;

/** `"all"` networks of the organization, or a list of them that may be empty. */
export const NetworkScope = z.union([z.literal("all"), z.array(z.string())]);
export type NetworkScope = z.infer<typeof NetworkScope>;

/** What a collector is to do, as its settings say. */
export const CollectorPlan = z.object({
  schedule: CollectorSchedule.nullable(),
  window: CollectorWindow.nullable(),
  targets: CollectorTargets,
  packets_per_second: z.int(),
  /** Those that work on its machine. */
  senses: z.array(z.string()),
});
export type CollectorPlan = z.infer<typeof CollectorPlan>;

/** The principal of a credential, with its current rights. @see docs/api.md "Permissions" */
export const VerifiedPrincipal = z.object({
  kind: z.enum(["key", "session"]),
  credential_id: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  /** Recorded as the actor of changes. */
  email: z.string(),
  permission: PermissionLevel,
  networks: NetworkScope,
  /** Until when a code confirms a session, in milliseconds since 1970; absent if none is needed. */
  confirmed_until: z.number().optional(),
  /** A key that ends, or is restricted or limited in any way; absent for others. */
  is_limited: z.literal(true).optional(),
  /** A key that can only import; absent for others. */
  is_collecting: z.literal(true).optional(),
  /** Of the key of a collector, whose id is that of the user; absent for others. */
  collector: CollectorPlan.optional(),
  /** No Owner of the organization has a verified address; absent for others. */
  is_unverified: z.literal(true).optional(),
});
export type VerifiedPrincipal = z.infer<typeof VerifiedPrincipal>;

/** What the secret of a share shows. */
export const VerifiedShare = z.object({
  share_id: z.string(),
  organization_id: z.string(),
  /** The shared network, unless its maker may not use it any more. */
  networks: z.array(z.string()),
  view_id: z.string(),
  hide: z.array(HiddenPart),
  as_of: z.string().nullable(),
  /** Ids whose later changes may invalidate this result. */
  subjects: z.array(z.string()),
});
export type VerifiedShare = z.infer<typeof VerifiedShare>;

/** Address blocks from which a key may be used (empty for all), and its rate limit. */
export const KeyLimits = z.object({ allowed_ips: z.array(z.string()), per_minute: z.number().nullable() });
export type KeyLimits = z.infer<typeof KeyLimits>;

/**
 * The result of a verification. `number` is that of the newest key change read before the credential.
 * `expires_in_ms` is a duration because the clocks of two machines differ; null means never.
 */
export const Verification = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("valid"),
    number: z.number(),
    principal: VerifiedPrincipal,
    expires_in_ms: z.number().nullable(),
    /** Limits of the key in addition to the rights of its principal; absent if none. */
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
    /** Ids whose later changes may invalidate this result. */
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
  summary: "Verify a credential",
  body: z.object({
    kind: z.enum(["key", "session", "collector"]),
    hash: z.string(),
  }),
  response: Verification,
});

/** The result of a verification of a share's secret, as {@link Verification}. */
export const ShareVerification = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("shared"),
    number: z.number(),
    share: VerifiedShare,
    expires_in_ms: z.number().nullable(),
  }),
  z.object({
    status: z.literal("refused"),
    number: z.number(),
    code: z.literal("share_ended"),
    subjects: z.array(z.string()),
  }),
]);
export type ShareVerification = z.infer<typeof ShareVerification>;

/** `hash` as in {@link verifyCredential}. */
export const verifyShareSecret = endpoint({
  ...common,
  operationId: "internal_verify_share",
  method: "post",
  path: "/internal/verify-share",
  upstream: "identity",
  summary: "Verify the secret of a share",
  body: z.object({ hash: z.string() }),
  response: ShareVerification,
});

/** One change of rights: cached data of the `subjects` (ids of keys, sessions, users, organizations) is invalid. */
export const KeyChange = z.object({ number: z.number(), subjects: z.array(z.string()) });
export type KeyChange = z.infer<typeof KeyChange>;

/** `reset`: changes after `after` are no longer retained, so the whole cache is invalid. */
export const KeyChanges = z.object({
  changes: z.array(KeyChange),
  highest: z.number(),
  reset: z.boolean(),
  live_gateways: z.number(),
});
export type KeyChanges = z.infer<typeof KeyChanges>;

/**
 * A pull registers the gateway and renews its lease; `after` is the last number it has applied. A `leaving` gateway has finished
 * its last request, gets no lease, and is no longer waited for.
 */
export const pullKeyChanges = endpoint({
  ...common,
  operationId: "internal_key_changes",
  method: "get",
  path: "/internal/key-changes",
  upstream: "identity",
  summary: "Permission changes after a number",
  query: z.strictObject({ after: z.int().min(0), gateway: z.string(), leaving: z.boolean().optional() }),
  response: KeyChanges,
});

/** Maximum addresses per key use report. */
export const MOST_USED_ADDRESSES = 8;

const KeyUse = z.object({
  key_id: Id,
  used_at: Timestamp,
  addresses: z.array(z.string().max(64)).max(MOST_USED_ADDRESSES),
  /** Used with the secret before the last rotation. */
  is_previous: z.boolean(),
  /** Requests since the last report. */
  requests: z.int().min(0),
  /** It is a share. */
  is_share: z.boolean().optional(),
  /** It is the key of a collector. */
  is_collector: z.boolean().optional(),
});

/** Moves `last_used` forward, never back, and records new addresses. */
export const recordKeyUses = endpoint({
  ...common,
  operationId: "internal_key_uses",
  method: "post",
  path: "/internal/key-uses",
  upstream: "identity",
  summary: "When and from where API keys were used",
  body: z.object({
    /** A report that is repeated, because its response was lost, counts once. */
    report: z.object({ gateway: z.string().max(64), number: z.int().min(1).describe("Ascending."), at: Timestamp }),
    uses: z.array(KeyUse).max(1000),
    /** Requests that a gateway refused; they do not count as uses. */
    refusals: z.array(z.object({ key_id: Id, count: z.int().min(1) })).max(1000),
  }),
  response: z.null(),
});

/** A refusal in the words of RFC 6749, 7591 and 8707. */
export const OAuthRefusal = z.object({
  status: z.literal("refused"),
  error: z.enum([
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "invalid_target",
    "unsupported_grant_type",
    "invalid_redirect_uri",
    "invalid_client_metadata",
  ]),
  description: z.string(),
});
export type OAuthRefusal = z.infer<typeof OAuthRefusal>;

/** What an assistant says of itself. */
export const AssistantMetadata = z.object({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});
export type AssistantMetadata = z.infer<typeof AssistantMetadata>;

export const registerAssistant = endpoint({
  ...common,
  operationId: "internal_register_assistant",
  method: "post",
  path: "/internal/oauth/register",
  upstream: "identity",
  summary: "Register an assistant",
  body: AssistantMetadata,
  response: z.discriminatedUnion("status", [
    z.object({
      status: z.literal("registered"),
      client_id: z.string(),
      client_name: z.string(),
      redirect_uris: z.array(z.string()),
      issued_at: z.int().describe("In seconds since 1970."),
    }),
    OAuthRefusal,
  ]),
});

/** The parameters of a token request that have a meaning here. */
export const TOKEN_PARAMETERS = [
  ...(["grant_type", "client_id", "code", "redirect_uri", "code_verifier"] as const),
  ...(["refresh_token", "resource"] as const),
] as const;

const parameter = z.string().max(2_000).optional();

export const TokenRequest = z.object({
  grant_type: parameter,
  client_id: parameter,
  code: parameter,
  redirect_uri: parameter,
  code_verifier: parameter,
  refresh_token: parameter,
  resource: parameter,
});
export type TokenRequest = z.infer<typeof TokenRequest>;

export const issueToken = endpoint({
  ...common,
  operationId: "internal_issue_token",
  endsAccess: true,
  method: "post",
  path: "/internal/oauth/token",
  upstream: "identity",
  summary: "Exchange a code or a refresh token, which is then used up",
  body: TokenRequest,
  response: z.discriminatedUnion("status", [
    z.object({
      status: z.literal("issued"),
      access_token: z.string(),
      expires_in: z.int(),
      refresh_token: z.string(),
      scope: z.string(),
    }),
    OAuthRefusal,
  ]),
});

export const revokeToken = endpoint({
  ...common,
  operationId: "internal_revoke_token",
  endsAccess: true,
  method: "post",
  path: "/internal/oauth/revoke",
  upstream: "identity",
  summary: "End the access that a token belongs to",
  body: z.object({ token: z.string().max(2_000) }),
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

/** Maximum views per request. */
export const MOST_FOUND_VIEWS = 200;

/** Those of some views that exist. */
export const findViews = endpoint({
  ...common,
  operationId: "internal_views",
  method: "post",
  path: "/internal/organizations/{id}/views",
  upstream: "topology",
  summary: "Find views of an organization",
  params: z.object({ id: Id }),
  body: z.object({ ids: z.array(Id).max(MOST_FOUND_VIEWS) }),
  response: z.array(z.object({ id: z.string(), network_id: z.string().nullable(), name: z.string() })),
});

/** Lets a collector look around when it next asks. @throws `collector_busy` */
export const queueCollectorJob = endpoint({
  ...common,
  operationId: "internal_queue_collector_job",
  method: "post",
  path: "/internal/organizations/{id}/collector-jobs",
  upstream: "topology",
  summary: "Queue a job of a collector",
  params: z.object({ id: Id }),
  body: z.object({
    collector_id: Id,
    network_id: Id,
    requested_by: Actor,
    targets: CollectorTargets,
    packets_per_second: z.int(),
    senses: z.array(z.string()),
  }),
  response: CollectorJob,
});

/** Cancels the jobs of a collector that was disabled or deleted. Idempotent. */
export const endCollectorJobs = endpoint({
  ...common,
  operationId: "internal_end_collector_jobs",
  method: "delete",
  path: "/internal/organizations/{id}/collector-jobs",
  upstream: "topology",
  summary: "Cancel the jobs of a collector",
  params: z.object({ id: Id }),
  query: z.strictObject({ collector_id: Id }),
  response: z.null(),
});

/** What the page of a share needs before anybody has shown its secret. */
export const getShareFrame = endpoint({
  ...common,
  operationId: "internal_share_frame",
  method: "get",
  path: "/internal/shares/{id}",
  upstream: "identity",
  summary: "Origins that may contain a share; none for one that does not exist",
  params: z.object({ id: Id }),
  response: z.array(z.string()),
});

/** Hides everything of a deleted organization at once; a sweep deletes it later. Idempotent. */
export const removeOrganization = endpoint({
  ...common,
  operationId: "internal_remove_organization",
  method: "delete",
  path: "/internal/organizations/{id}",
  upstream: "topology",
  summary: "Delete the inventory of an organization",
  params: z.object({ id: Id }),
  response: z.null(),
});

/** Why somebody may no longer have webhooks. */
export const MAKER_ENDS = {
  user_removed: "The user who created it was removed.",
  user_demoted: "The user who created it may no longer manage webhooks.",
  user_disabled: "The account of the user who created it was disabled.",
  key_revoked: "The API key with which it was created was revoked.",
  key_leaked: "The API key with which it was created was reported as leaked.",
} as const;
export type MakerEnd = keyof typeof MAKER_ENDS;

/** Lists the webhooks of a maker, and pauses them for a reason. Idempotent. */
export const endWebhooksOf = endpoint({
  ...common,
  operationId: "internal_end_webhooks",
  method: "post",
  path: "/internal/organizations/{id}/webhooks",
  upstream: "topology",
  summary: "List, and pause, the webhooks made by a user or a key",
  params: z.object({ id: Id }),
  body: z.object({
    user_id: Id,
    /** Null for all that the user made, with any credential. */
    key_id: Id.nullable(),
    /** Null to only list them. */
    reason: z.enum(Object.keys(MAKER_ENDS) as [MakerEnd, ...MakerEnd[]]).nullable(),
  }),
  response: MadeWebhooks.unwrap().shape.webhooks,
});

/** Filters ids to managed tags of an organization. */
export const findTagIds = endpoint({
  ...common,
  operationId: "internal_tag_ids",
  method: "post",
  path: "/internal/organizations/{id}/tags",
  upstream: "topology",
  summary: "Filter ids to tags of the organization",
  params: z.object({ id: Id }),
  body: z.object({ ids: z.array(Id).max(1000) }),
  response: z.array(z.string()),
});

/** Maximum notes per request. */
export const MOST_AUDIT_NOTES = 50;

/** An action in topology to be written to the audit log. Its id is stable across retries. */
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
  summary: "List pending audit notes, by organization and in commit order",
  query: z.strictObject({ after: z.string().max(200).default("") }),
  response: z.array(AuditNote).max(MOST_AUDIT_NOTES),
});

/** Deletes notes that were written to the audit log. Idempotent. */
export const confirmAuditNotes = endpoint({
  ...common,
  operationId: "internal_audit_notes_written",
  method: "post",
  path: "/internal/organizations/{id}/audit-notes",
  upstream: "topology",
  summary: "Confirm that notes were written to the audit log",
  params: z.object({ id: Id }),
  body: z.object({ ids: z.array(z.string().max(200)).max(MOST_AUDIT_NOTES) }),
  response: z.null(),
});

/** Maximum entries of each event, and certificates, in the news for one mail. */
export const MOST_NEWS = 20;

/** One thing that happened. `name` is that of a service; null for hosts. */
export const NewsEntry = z.object({
  event: NewsEvent,
  at: Timestamp,
  host_id: z.string(),
  host_name: z.string(),
  network_name: z.string(),
  name: z.string().nullable(),
});
export type NewsEntry = z.infer<typeof NewsEntry>;

export const NewsCertificate = z.object({
  host_id: z.string(),
  host_name: z.string(),
  network_name: z.string(),
  port: z.string(),
  subject: z.string(),
  not_after: z.string(),
  /** Ports that present it. */
  places: z.int(),
});
export type NewsCertificate = z.infer<typeof NewsCertificate>;

/** A time span in which certificates come closer to their end. */
const Span = z.object({ from: Timestamp, to: Timestamp });

/** What happened between two positions in the journal that a user may see. `next` is where the next news begin. */
export const listNews = endpoint({
  ...common,
  operationId: "internal_news",
  method: "post",
  path: "/internal/organizations/{id}/news",
  upstream: "topology",
  summary: "What to tell a user by mail",
  params: z.object({ id: Id }),
  body: z.object({
    networks: NetworkScope,
    events: z.array(NewsEvent),
    only_unknown: z.boolean(),
    /** Null to begin now, with no entries. */
    after: z.string().max(64).nullable(),
    /** Null for everything until now. */
    until: z.string().max(64).nullable(),
    /** Null for no certificates. */
    certificates: Span.nullable(),
  }),
  response: z.object({
    next: z.string(),
    entries: z.array(NewsEntry),
    /** The events of which there are more entries. */
    more: z.array(NewsEvent),
    certificates: z.array(NewsCertificate),
  }),
});
export type News = z.infer<(typeof listNews)["response"]>;
