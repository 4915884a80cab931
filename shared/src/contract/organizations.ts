import { z } from "zod";
import { byId, Name, serverFields, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";

/** What marketing asks for later than at registration. @see docs/api.md "Organizations, users and invites" */
export const Profile = z
  .object({ company_size: z.string().nullable(), job_title: z.string().nullable() })
  .meta({ id: "Profile" });
export type Profile = z.infer<typeof Profile>;

/** An organization: the tenant that owns everything else. */
export const Organization = z
  .object({ ...serverFields, name: z.string(), api_access_enabled: z.boolean(), ...Profile.shape })
  .meta({ id: "Organization" });
export type Organization = z.infer<typeof Organization>;

const ProfileText = text(0, 100).nullable().optional();

export const ProfileUpdate = z
  .object({ company_size: ProfileText, job_title: ProfileText })
  .meta({ id: "ProfileUpdate" });

export const OrganizationUpdate = z
  .object({ name: Name, api_access_enabled: z.boolean().optional() })
  .meta({ id: "OrganizationUpdate" });

const common = { upstream: "identity", tag: "Organizations" } as const;

export const getOrganization = endpoint({
  ...common,
  operationId: "get_organization",
  method: "get",
  path: "/api/v1/organizations",
  credential: "any",
  permission: "Viewer",
  summary: "The caller's own organization",
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
  summary: "Rename the organization; allow or refuse API keys",
  description: "With `api_access_enabled: false` no API key of the organization works any more; sessions do.",
  params: byId,
  body: OrganizationUpdate,
  response: Organization,
  errors: ["not_found", "precondition_failed", "write_conflict"],
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
  description: "Absent members keep their value, null clears.",
  body: ProfileUpdate,
  response: Profile,
  errors: ["write_conflict"],
});
