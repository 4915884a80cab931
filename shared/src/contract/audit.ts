import { z } from "zod";
import { Actor, reading } from "./changes.js";
import { Id, Instant, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

// The record of changes to accounts, credentials, webhooks and archives. @see docs/audit.md

export const AUDITED_ENTITIES = [
  "Organization",
  "User",
  "Session",
  "Invite",
  "UserApiKey",
  "Share",
  "Collector",
  "Webhook",
] as const;
export const AUDIT_ACTIONS = [
  "created",
  "updated",
  "deleted",
  "rotated",
  "revoked",
  "accepted",
  "password_changed",
  "password_reset_requested",
  "verified",
  "login_failed",
  "second_factor_enabled",
  "second_factor_disabled",
  "second_factor_failed",
  "recovery_codes_renewed",
  "recovery_code_used",
  "linked",
  "unlinked",
  "taken_over",
  "first_used",
  "used",
  "enrolled",
  "paused",
  "replayed",
  "exported",
  "imported",
] as const;

export const AuditedEntity = z.enum(AUDITED_ENTITIES).meta({ id: "AuditedEntity" });
export const AuditAction = z.enum(AUDIT_ACTIONS).meta({
  id: "AuditAction",
  description:
    "`rotated`: a key, webhook or collector got a new secret. `revoked`: a key was reported as leaked and revoked. `accepted`: an invite was used. `login_failed`: wrong password; `second_factor_failed`: correct password, wrong code. " +
    "`password_reset_requested`: a link was emailed; `address` is that of the requester. `verified`: the email address was verified. " +
    "`linked`, `unlinked`: an account at an identity provider; `taken_over`: by the user who proved the address at a provider or by a mailed link, which revoked password, sessions and keys. " +
    "`first_used`: a key was used from a new address. `used`: a share was, with its number of uses, once a day. " +
    "`enrolled`: a machine enrolled as a collector. `paused`: the server disabled a failing webhook. `replayed`: the cursor of a webhook was reset. " +
    "`exported`, `imported`: an archive of the organization.",
});

export const AuditedState = z.record(z.string(), z.unknown()).nullable();

/** One entry of the audit log. */
export const AuditEntry = z
  .object({
    cursor: z.string().describe("Position in commit order; pass it as `after` to get later entries."),
    at: Timestamp,
    action: AuditAction,
    entity: AuditedEntity,
    entity_id: Id,
    name: z
      .string()
      .describe(
        "Display name: the email address of users and sessions, the level of invites, the host of webhooks; `archive` for archives.",
      ),
    before: AuditedState.describe("The entity before the change, without secrets; null if it did not exist."),
    after: AuditedState.describe("The entity after the change, without secrets; null if it no longer exists."),
    fields: z.array(z.string()).describe("The changed members, except `updated_at`."),
    actor: Actor.nullable().describe("Null if unknown: a failed login, an operator, or the server itself."),
    address: z.string().nullable().describe("IP address of the client."),
    request_id: z.string().nullable(),
    comment: z.string().nullable().describe("The `Change-Comment` of the request."),
    attempts: z
      .int()
      .nullable()
      .describe("Consecutive failures for this account from this address; null except for failed logins."),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

const AuditEntries = z.array(AuditEntry).meta({ id: "AuditEntries" });

export const listAudit = endpoint({
  upstream: "identity",
  credential: "any",
  permission: "Owner",
  wholeOrganization: true,
  tag: "Audit",
  operationId: "list_audit",
  method: "get",
  path: "/api/v1/audit",
  summary: "List audit entries of accounts, sessions, invites, API keys, webhooks and the organization",
  description:
    "In commit order. `meta.next` is the cursor to continue from, even at the end of the log; null at the end of `desc` order. " +
    "All entries after the cursor `meta.oldest` are retained.",
  query: z.strictObject({
    user_id: Id.optional().describe("Only actions of this user."),
    key_id: Id.optional().describe("Only actions with this API key."),
    action: AuditAction.optional(),
    entity: AuditedEntity.optional().describe("Only entities of this kind."),
    entity_id: Id.optional().describe("Only this entity."),
    request_id: z.string().min(1).max(128).optional().describe("Only actions of this request."),
    since: Instant.optional().describe("Only entries at or after this time."),
    until: Instant.optional().describe("Only entries before this time."),
    ...reading,
  }),
  response: AuditEntries,
  errors: ["cursor_invalid", "changes_gone"],
});
