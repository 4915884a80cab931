import { z } from "zod";
import {
  byId,
  filters,
  Id,
  listQuery,
  Name,
  Nothing,
  PermissionLevel,
  QUOTA_ERRORS,
  serverFields,
  verbatimText,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { keepsWebhooks, MadeWebhooks } from "./webhooks.js";

/** Service accounts have no password and no session, only API keys that Admins manage. */
export const USER_KINDS = ["person", "service"] as const;

/** The domain of the addresses of service accounts, which receive no mail. */
export const SERVICE_DOMAIN = "service.invalid";

/** A user of an organization. `network_ids` are the networks the user currently has access to. */
export const User = z
  .object({
    ...serverFields,
    kind: z.enum(USER_KINDS).meta({ id: "UserKind" }).describe("`service`: it has only API keys, which Admins manage."),
    name: z.string().nullable().describe("Of a service account; null for people."),
    email: z.string().describe("Of a service account, a name that receives no mail."),
    email_verified: z.boolean().describe("Whether the user has proved that the address is theirs."),
    organization_id: Id,
    permissions: PermissionLevel,
    network_ids: z.array(Id),
    second_factor: z.boolean().describe("Whether it is enabled."),
    disabled: z.boolean().describe("Whether an operator has ended all access by this account."),
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;

/** An organization of an account. `permissions` is the level there. */
export const Membership = z
  .object({ id: Id.describe("Of the organization."), name: z.string(), permissions: PermissionLevel })
  .meta({ id: "Membership" });
export type Membership = z.infer<typeof Membership>;

/**
 * The caller with all organizations of the account, in order of joining. Other members are those in the session's
 * organization.
 */
export const CurrentUser = User.extend({ organizations: z.array(Membership) }).meta({ id: "CurrentUser" });
export type CurrentUser = z.infer<typeof CurrentUser>;

/** Compared and stored in lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ error: "must be an email address" }))
  .meta({ format: "email", examples: ["ada@example.com"] });

export const Password = verbatimText(10, 128).meta({ format: "password" });

/** True for the address of a service account. */
export function isServiceAddress(email: string): boolean {
  return email.endsWith(`@${SERVICE_DOMAIN}`);
}

const NO_PERSON = "is a service account, which has no mailbox and does not sign in: use its API keys";

/** The address of a person. */
export const PersonalEmail = Email.refine((email) => !isServiceAddress(email), NO_PERSON);

/** The secret of an invite. Any short text, so that malformed, wrong and used tokens get the same response. */
export const InviteToken = z.string().trim().min(1).max(200).meta({ pattern: "[^\\s\\ufeff]" });

export const Registration = z
  .object({
    email: PersonalEmail,
    password: Password,
    organization_name: Name.optional().describe("Name of the new organization; ignored with an invite."),
    invite_token: InviteToken.optional().describe("Join the organization of the invite instead of creating one."),
  })
  .meta({ id: "Registration" });
export type Registration = z.infer<typeof Registration>;

/** Accepts any text as password, so that a wrong password and an unknown user get the same response. */
export const Login = z
  .object({
    email: z
      .string()
      .trim()
      .toLowerCase()
      .max(254)
      .refine((email) => !isServiceAddress(email), NO_PERSON),
    password: z.string().max(1024),
  })
  .meta({ id: "Login" });

export const PasswordChange = z
  .object({ current_password: z.string().max(1024), new_password: Password })
  .meta({ id: "PasswordChange" });

export const UserCreate = z
  .object({
    kind: z.literal("service").describe("People join by invites."),
    name: Name,
    permissions: PermissionLevel.refine((level) => level !== "Owner", "must not be Owner for a service account"),
    network_ids: z.array(Id).max(1000).default([]).describe("The networks of a Member or Viewer; Admins have all."),
  })
  .meta({ id: "UserCreate" });
export type UserCreate = z.infer<typeof UserCreate>;

export const UserUpdate = z
  .object({
    permissions: PermissionLevel,
    network_ids: z
      .array(Id)
      .max(1000)
      .optional()
      .describe("The networks of a Member or Viewer; if absent, unchanged. Owners and Admins have all networks."),
  })
  .meta({ id: "UserUpdate" });
export type UserUpdate = z.infer<typeof UserUpdate>;

const common = { upstream: "identity", permission: null, tag: "Authentication" } as const;

/** Re-authentication, against misuse of an unattended browser. */
export const Proof = z.object({
  password: z.string().max(1024).optional().describe("Optional within five minutes of sign-in."),
});
export const PROOF_FAULTS = [
  "invalid_credentials",
  "login_throttled",
  "reauthentication_required",
  "confirmation_required",
] as const;

export const register = endpoint({
  ...common,
  operationId: "register",
  method: "post",
  path: "/api/auth/register",
  credential: "none",
  endsSessions: true,
  summary: "Create an account and a session",
  description:
    "With an invite, the user joins its organization; otherwise, the user becomes Owner of a new one. If the organization " +
    "requires a second factor, no session is started: sign in to set one up. Who has an account signs in, and accepts the invite.",
  body: Registration,
  response: User,
  errors: [
    "already_exists",
    "registration_closed",
    "registration_throttled",
    "password_login_disabled",
    "invalid_reference",
    "write_conflict",
  ],
});

export const login = endpoint({
  ...common,
  operationId: "login",
  method: "post",
  path: "/api/auth/login",
  credential: "none",
  endsSessions: true,
  summary: "Start a session: sets the cookie `session_id` and ends the browser's previous session",
  body: Login,
  response: User,
  description:
    "Repeated failures are throttled with increasing delays of up to 15 minutes. Users with a second factor get 401 " +
    "`second_factor_required` with a `challenge` for `login_second_factor`; users who must set one up first, also `set_up`.",
  errors: [
    "invalid_credentials",
    "second_factor_required",
    "password_login_disabled",
    "account_disabled",
    "login_throttled",
    "write_conflict",
  ],
});

export const logout = endpoint({
  ...common,
  operationId: "logout",
  endsAccess: true,
  method: "post",
  path: "/api/auth/logout",
  credential: "optional",
  endsSessions: true,
  summary: "End the session, if any",
  description: "Also succeeds without a session. No gateway accepts it any more when the response arrives.",
  response: Nothing,
  errors: ["csrf_rejected", "write_conflict"],
});

export const getCurrentUser = endpoint({
  ...common,
  operationId: "get_current_user",
  method: "get",
  path: "/api/auth/me",
  credential: "session",
  summary: "Get the user of the session, with all organizations of the account",
  description: "Level and networks are those of the organization that the session acts in.",
  isVolatile: true,
  response: CurrentUser,
  errors: ["session_expired"],
});

export const postCurrentUser = endpoint({
  ...getCurrentUser,
  operationId: "get_current_user_by_post",
  method: "post",
  summary: "Get the user of the session, for clients that cannot send GET",
});

export const actInOrganization = endpoint({
  ...common,
  operationId: "act_in_organization",
  method: "post",
  path: "/api/auth/organization",
  credential: "session",
  endsSessions: true,
  summary: "Continue the session in another organization of the account",
  description:
    "The session gets a new token in the cookie; no gateway accepts the previous one when the response arrives. An organization " +
    "that requires a second factor admits sessions in which a code was given, one without password sign-in those of a provider.",
  body: z.object({ organization_id: Id }).meta({ id: "ActingOrganization" }),
  response: CurrentUser,
  errors: [
    "invalid_reference",
    "session_expired",
    "confirmation_required",
    "password_login_disabled",
    "provider_bound",
    "write_conflict",
  ],
});

export const deleteCurrentUser = endpoint({
  ...common,
  operationId: "delete_current_user",
  method: "delete",
  path: "/api/auth/me",
  credential: "session",
  endsSessions: true,
  summary: "Delete the caller's account with all its keys, sessions and invites, in all organizations",
  description:
    "Resources created by the user remain. The last Owner of an organization must delete that organization instead.",
  body: Proof.meta({ id: "AccountDeletion" }),
  response: Nothing,
  errors: [...PROOF_FAULTS, "last_owner", "precondition_failed", "write_conflict"],
});

export const changePassword = endpoint({
  ...common,
  operationId: "change_password",
  method: "post",
  path: "/api/auth/password",
  credential: "session",
  summary: "Change the password and end the user's other sessions",
  description: "The current session continues with a new token in the cookie.",
  body: PasswordChange,
  response: Nothing,
  errors: ["invalid_credentials", "login_throttled", "write_conflict"],
});

const managed = { upstream: "identity", credential: "any", permission: "Admin", tag: "Users" } as const;
const WHO = "Admins can manage Members and Viewers, Owners can manage all users.";

export const listUsers = endpoint({
  ...managed,
  operationId: "list_users",
  method: "get",
  path: "/api/v1/users",
  summary: "List the users of the organization",
  query: listQuery(["created_at", "email", "updated_at"], {
    network_id: filters.network_id.describe("Only users with access to this network."),
    ids: filters.ids,
  }),
  response: User,
  list: true,
  errors: [],
});

export const createUser = endpoint({
  ...managed,
  operationId: "create_user",
  method: "post",
  path: "/api/v1/users",
  wholeOrganization: true,
  summary: "Create a service account",
  description:
    "It outlives whoever creates it. Admins create service accounts below Admin, Owners also Admins. Their keys are created with its `user_id`.",
  body: UserCreate,
  etag: true,
  response: User,
  errors: ["invalid_reference", "confirmation_required", ...QUOTA_ERRORS, "write_conflict"],
});

export const getUser = endpoint({
  ...managed,
  operationId: "get_user_by_id",
  method: "get",
  path: "/api/v1/users/{id}",
  summary: "Get a user",
  params: byId,
  isVolatile: true,
  response: User,
  errors: ["not_found"],
});

export const updateUser = endpoint({
  ...managed,
  operationId: "update_user",
  method: "put",
  path: "/api/v1/users/{id}",
  wholeOrganization: true,
  summary: "Update the level and networks of a user",
  description: `${WHO} The change is in effect for all keys and sessions of the user when the response arrives.`,
  params: byId,
  body: UserUpdate,
  response: User,
  errors: [
    "not_found",
    "invalid_reference",
    "confirmation_required",
    "last_owner",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchUser = patchOf(updateUser);

export const deleteUser = endpoint({
  ...managed,
  operationId: "delete_user",
  method: "delete",
  path: "/api/v1/users/{id}",
  wholeOrganization: true,
  summary: "Remove a user from the organization, with all keys, sessions and invites that the user has in it",
  description: `${WHO} An account that belongs to no other organization is deleted. Webhooks that the user made are paused.`,
  params: byId,
  query: keepsWebhooks,
  response: MadeWebhooks,
  errors: ["not_found", "last_owner", "precondition_failed", "write_conflict"],
});

export const resetUserSecondFactor = endpoint({
  ...managed,
  credential: "session",
  permission: "Owner",
  operationId: "reset_user_second_factor",
  method: "delete",
  path: "/api/v1/users/{id}/second-factor",
  wholeOrganization: true,
  summary: "Reset the second factor of a user, ending the user's sessions",
  description:
    "The user signs in without one, or sets up another one if required. For accounts that belong to several " +
    "organizations, only an operator can do this: 403 `permission_denied`.",
  params: byId,
  response: Nothing,
  errors: ["not_found", "confirmation_required", "write_conflict"],
});
