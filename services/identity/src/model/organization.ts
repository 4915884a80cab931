import type { Organization, Profile } from "@nts/shared/contract/organizations";

export interface OrganizationDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  created_at: Date;
  updated_at: Date;
  revision: number;
  name: string;
  api_access_enabled: boolean;
  /** Absent if never asked for. */
  require_second_factor?: boolean;
  /** Absent if passwords were never disabled. */
  password_login?: boolean;
  /** Maximum lifetime of API key secrets in days; absent or null for none. */
  max_key_lifetime_days?: number | null;
  company_size: string | null;
  job_title: string | null;
  /** Founded by somebody with an unverified address, and no Owner has verified one since; absent otherwise. */
  awaits_verification?: true;
  /** Incremented by transactions that count before adding; absent before the first. */
  counted?: number;
}

export const DEFAULT_ORGANIZATION_NAME = "My Organization";

/** A new organization that allows API keys and has no profile. */
export function newOrganization(given: {
  readonly id: string;
  readonly name: string;
  readonly now: Date;
  readonly awaitsVerification?: boolean;
}): OrganizationDocument {
  return {
    _id: given.id,
    created_at: given.now,
    updated_at: given.now,
    revision: 1,
    name: given.name,
    api_access_enabled: true,
    company_size: null,
    job_title: null,
    ...(given.awaitsVerification === true && { awaits_verification: true }),
  };
}

/** Whether its users need a second factor. */
export function requiresSecondFactor({ require_second_factor }: OrganizationDocument): boolean {
  return require_second_factor === true;
}

/** Whether its users can sign in with a password. */
export function admitsPasswords({ password_login }: OrganizationDocument): boolean {
  return password_login !== false;
}

/** Maximum lifetime of API key secrets in days; null for none. */
export function maxLifetimeOf(organization: Pick<OrganizationDocument, "max_key_lifetime_days">): number | null {
  return organization.max_key_lifetime_days ?? null;
}

/** An organization as returned to clients. */
export function organizationResponse(organization: OrganizationDocument): Organization {
  return {
    id: organization._id,
    created_at: organization.created_at.toISOString(),
    updated_at: organization.updated_at.toISOString(),
    name: organization.name,
    api_access_enabled: organization.api_access_enabled,
    require_second_factor: requiresSecondFactor(organization),
    password_login: admitsPasswords(organization),
    max_key_lifetime_days: maxLifetimeOf(organization),
    ...profileResponse(organization),
  };
}

/** An organization's profile as returned to clients. */
export function profileResponse({ company_size, job_title }: OrganizationDocument): Profile {
  return { company_size, job_title };
}
