import { z } from "zod";
import { byId, label, Name, Nothing, serverFields, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { Proof, PROOF_FAULTS, User } from "./users.js";

/** Profile fields that are collected after registration. @see docs/api.md "Organizations, users and invites" */
export const Profile = z
  .object({ company_size: z.string().nullable(), job_title: z.string().nullable() })
  .meta({ id: "Profile" });
export type Profile = z.infer<typeof Profile>;

/** Maximum of `max_key_lifetime_days`. */
export const LONGEST_KEY_LIFETIME_DAYS = 3_650;

/** An organization: the tenant that owns everything else. */
export const Organization = z
  .object({
    ...serverFields,
    name: z.string(),
    api_access_enabled: z.boolean(),
    require_second_factor: z.boolean(),
    password_login: z.boolean(),
    max_key_lifetime_days: z.int().nullable(),
    ...Profile.shape,
  })
  .meta({ id: "Organization" });
export type Organization = z.infer<typeof Organization>;

const ProfileText = label(0, 100).nullable().optional();

export const ProfileUpdate = z
  .object({ company_size: ProfileText, job_title: ProfileText })
  .meta({ id: "ProfileUpdate" });

export const OrganizationUpdate = z
  .object({
    name: Name,
    api_access_enabled: z.boolean().optional(),
    require_second_factor: z
      .boolean()
      .optional()
      .describe("Changing it requires a confirmed session of an Owner with a second factor."),
    password_login: z
      .boolean()
      .optional()
      .describe("Can be disabled by an Owner in a session started with a provider; password sessions then end."),
    max_key_lifetime_days: z
      .int()
      .min(1)
      .max(LONGEST_KEY_LIFETIME_DAYS)
      .nullable()
      .optional()
      .describe("Maximum age of the secret of an API key, also of existing keys; null for no maximum."),
  })
  .meta({ id: "OrganizationUpdate" });

const common = { upstream: "identity", tag: "Organizations" } as const;

export const getOrganization = endpoint({
  ...common,
  operationId: "get_organization",
  method: "get",
  path: "/api/v1/organizations",
  credential: "any",
  permission: "Viewer",
  summary: "Get the caller's own organization",
  response: Organization,
  errors: [],
});

export const updateOrganization = endpoint({
  ...common,
  operationId: "update_organization",
  method: "put",
  path: "/api/v1/organizations/{id}",
  credential: "any",
  permission: "Owner",
  wholeOrganization: true,
  summary: "Update the organization: name, API access, how users sign in, lifetime of API keys",
  description:
    "`api_access_enabled: false` rejects all API keys of the organization, but not sessions. `require_second_factor: true` " +
    "rejects API keys and sessions of users without a second factor. " +
    "`max_key_lifetime_days` rejects secrets of API keys that are older, until they are rotated.",
  params: byId,
  body: OrganizationUpdate,
  response: Organization,
  errors: [
    "not_found",
    "session_required",
    "confirmation_required",
    "provider_required",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchOrganization = patchOf(updateOrganization);

export const updateOrganizationProfile = endpoint({
  ...common,
  operationId: "update_organization_profile",
  method: "post",
  path: "/api/v1/organizations/profile",
  credential: "session",
  permission: "Viewer",
  wholeOrganization: true,
  summary: "Store the deferred profile fields",
  description: "Absent members are unchanged; null clears.",
  body: ProfileUpdate,
  etag: true,
  response: Profile,
  errors: ["precondition_failed", "write_conflict"],
});

export const leaveOrganization = endpoint({
  ...common,
  operationId: "leave_organization",
  method: "post",
  path: "/api/v1/organizations/leave",
  credential: "session",
  permission: "Viewer",
  wholeOrganization: true,
  endsSessions: true,
  summary: "Leave the organization",
  description:
    "The user's keys, sessions and invites in it are revoked. The browser gets a session in another organization of the account, " +
    "if one admits it; an account that has no other gets a new one.",
  body: Proof.extend({ organization_name: Name.optional().describe("Name of a new organization.") }).meta({
    id: "OrganizationLeave",
  }),
  response: User,
  errors: [...PROOF_FAULTS, "last_owner", "last_sign_in", "registration_closed", "write_conflict"],
});

export const deleteOrganization = endpoint({
  ...common,
  operationId: "delete_organization",
  method: "delete",
  path: "/api/v1/organizations/{id}",
  credential: "session",
  permission: "Owner",
  wholeOrganization: true,
  endsSessions: true,
  summary: "Delete the organization, everything in it, and the accounts that belong to no other one",
  description: "Only for its sole Owner. All keys and sessions are revoked when the response arrives. Irreversible.",
  params: byId,
  body: Proof.extend({ name: text(1, 100).describe("The name of the organization, as a confirmation.") }).meta({
    id: "OrganizationDeletion",
  }),
  response: Nothing,
  errors: [...PROOF_FAULTS, "not_found", "other_owners", "precondition_failed", "write_conflict"],
});
