import { z } from "zod";
import { Actor, reading } from "./changes.js";
import { Id, Instant, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

// The record of what happened to accounts, to what lets somebody in, and to what takes the inventory elsewhere. @see docs/audit.md

export const AUDITED_ENTITIES = ["Organization", "User", "Session", "Invite", "UserApiKey", "Webhook"] as const;
export const AUDIT_ACTIONS = [
  "created",
  "updated",
  "deleted",
  "rotated",
  "revoked",
  "accepted",
  "password_changed",
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
  "paused",
  "replayed",
  "exported",
  "imported",
] as const;

export const AuditedEntity = z.enum(AUDITED_ENTITIES);
export const AuditAction = z
  .enum(AUDIT_ACTIONS)
  .describe(
    "`rotated`: a key or a webhook has another secret. `revoked`: somebody reported that a key has leaked, which ended it. `accepted`: an invite was used up. `login_failed`: with a wrong password; `second_factor_failed`: with the right one, and a wrong code. " +
      "`linked`, `unlinked`: an account at a provider; `taken_over`: by who proved the address there, which ended password, sessions and keys. " +
      "`first_used`: a key from an address from which it was not used before. " +
      "`paused`: the server has stopped a webhook that failed. `replayed`: a webhook goes on from another place. " +
      "`exported`, `imported`: an archive of the organization.",
  );

export const AuditedState = z.record(z.string(), z.unknown()).nullable();

/** One entry of the audit log. */
export const AuditEntry = z
  .object({
    cursor: z.string().describe("Its place in the order of commit; `after` it come later ones."),
    at: Timestamp,
    action: AuditAction,
    entity: AuditedEntity,
    entity_id: Id,
    name: z
      .string()
      .describe(
        "What the entity was called: the email address for users and sessions, the level for invites, the host for webhooks; `archive` for archives.",
      ),
    before: AuditedState.describe("The entity without any secret; null when there was none."),
    after: AuditedState.describe("The same from then on; null when there is none."),
    fields: z.array(z.string()).describe("The members that were changed, but for `updated_at`."),
    actor: Actor.nullable().describe("Null when nobody is known: a failed login, an operator, or the server itself."),
    address: z.string().nullable().describe("Of the client."),
    request_id: z.string().nullable(),
    comment: z.string().nullable().describe("The `Change-Comment` of the request."),
    attempts: z
      .int()
      .nullable()
      .describe("Failures in a row of this account from this address; null for everything but failed logins."),
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
  summary: "List what happened to accounts, sessions, invites, API keys, webhooks and the organization",
  description:
    "In the order of commit. `meta.next` is the cursor to go on from, also at the end of what there is; null at the end of the " +
    "order `desc`. `meta.oldest` is the one behind which everything is kept.",
  query: z.strictObject({
    user_id: Id.optional().describe("Only what this user did."),
    key_id: Id.optional().describe("Only what was done with this API key."),
    action: AuditAction.optional(),
    entity: AuditedEntity.optional().describe("Only entities of this kind."),
    entity_id: Id.optional().describe("Only this entity."),
    request_id: z.string().min(1).max(128).optional().describe("Only what this request did."),
    since: Instant.optional().describe("Only entries of this time or later."),
    until: Instant.optional().describe("Only entries before this time."),
    ...reading,
  }),
  response: AuditEntries,
  errors: ["cursor_invalid", "changes_gone"],
});
