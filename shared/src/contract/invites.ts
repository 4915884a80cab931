import { z } from "zod";
import {
  byId,
  filters,
  Id,
  listQuery,
  Nothing,
  PermissionLevel,
  QUOTA_ERRORS,
  serverFields,
  Timestamp,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { InviteToken, Membership, PersonalEmail } from "./users.js";

/** An unused invite. Its token is only returned on creation. */
export const Invite = z
  .object({
    ...serverFields,
    organization_id: Id,
    invited_by: Id.describe("The user who created it."),
    permissions: PermissionLevel,
    network_ids: z.array(Id).describe("The networks that the new user may use; Owners and Admins have all networks."),
    expires_at: Timestamp,
    email: z.string().nullable().describe("The address that the invite was mailed to; null if it was not."),
  })
  .meta({ id: "Invite" });
export type Invite = z.infer<typeof Invite>;

export const InviteCreate = z
  .object({
    permissions: PermissionLevel,
    network_ids: z.array(Id).max(1000).default([]).describe("The networks of a Member or Viewer."),
    expires_in_hours: z.int().min(1).max(8760).default(168),
    email: PersonalEmail.nullish().describe(
      "Also mails the invite to this address; needs a verified address of the caller.",
    ),
  })
  .meta({ id: "InviteCreate" });
export type InviteCreate = z.infer<typeof InviteCreate>;

const common = { upstream: "identity", credential: "any", permission: "Admin", tag: "Invites" } as const;

export const listInvites = endpoint({
  ...common,
  operationId: "list_invites",
  method: "get",
  path: "/api/v1/invites",
  summary: "List the invites that can still be used",
  query: listQuery(["created_at", "expires_at"], {
    network_id: filters.network_id.describe("Only invites of users who may use this network."),
    ids: filters.ids,
  }),
  response: Invite,
  list: true,
  errors: [],
});

export const createInvite = endpoint({
  ...common,
  showsSecret: true,
  operationId: "create_invite",
  method: "post",
  path: "/api/v1/invites",
  wholeOrganization: true,
  summary: "Create an invite; the token is only returned here",
  description:
    "Owners can invite at every level, Admins as Member or Viewer. The token lets one account join, new or not, provided that the inviter " +
    "could still invite at that level. A mail has a token of its own: whoever registers or joins by it with the address has verified it.",
  body: InviteCreate,
  response: Invite.extend({ token: z.string() }).meta({ id: "CreatedInvite" }),
  errors: [
    "invalid_reference",
    "confirmation_required",
    "email_unverified",
    "mail_not_configured",
    "mail_throttled",
    ...QUOTA_ERRORS,
    "write_conflict",
  ],
});

/** What an invite leads to, for the holder of its token. */
export const InvitePreview = z
  .object({
    organization_name: z.string(),
    permissions: PermissionLevel.describe("The level of the new user."),
    email: z.string().nullable().describe("The address that the invite was mailed to; null if it was not."),
    expires_at: Timestamp,
  })
  .meta({ id: "InvitePreview" });
export type InvitePreview = z.infer<typeof InvitePreview>;

export const previewInvite = endpoint({
  ...common,
  credential: "none",
  permission: null,
  operationId: "preview_invite",
  method: "post",
  path: "/api/auth/invite",
  summary: "Show what an invite leads to; anyone who holds its token may ask",
  description: "The invite stays usable. Malformed, used, revoked and expired tokens get the same response.",
  body: z.object({ token: InviteToken }).meta({ id: "InvitePreviewRequest" }),
  response: InvitePreview,
  errors: ["invalid_reference"],
});

export const acceptInvite = endpoint({
  ...common,
  credential: "session",
  permission: "Viewer",
  operationId: "accept_invite",
  method: "post",
  path: "/api/v1/invites/accept",
  wholeOrganization: true,
  summary: "Join the organization of an invite with the account of the session",
  description:
    "The session stays where it is; `act_in_organization` continues it in the new organization. An account can belong to 50.",
  body: z.object({ token: InviteToken }).meta({ id: "InviteAcceptance" }),
  etag: true,
  response: Membership,
  errors: [
    "invalid_reference",
    "already_exists",
    "quota_exceeded",
    "session_expired",
    "provider_bound",
    "write_conflict",
  ],
});

export const revokeInvite = endpoint({
  ...common,
  operationId: "revoke_invite",
  method: "delete",
  path: "/api/v1/invites/{id}",
  wholeOrganization: true,
  summary: "Revoke an invite",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});
