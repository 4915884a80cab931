import type { Organization, Profile } from "@nts/shared/contract/organizations";
import { maxLifetimeOf } from "../keys/lifetime.rules.js";

export interface OrganizationDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  created_at: Date;
  updated_at: Date;
  revision: number;
  name: string;
  api_access_enabled: boolean;
  /** Absent where it was never asked for. */
  require_second_factor?: boolean;
  /** Absent where passwords were never switched off. */
  password_login?: boolean;
  /** Days that a secret of an API key may be in use; absent or null for any number. */
  max_key_lifetime_days?: number | null;
  company_size: string | null;
  job_title: string | null;
  /** How often what it has was counted before something was added; absent before the first time. */
  counted?: number;
}

export const DEFAULT_ORGANIZATION_NAME = "My Organization";

/** An organization that admits API keys and has told nothing of itself. */
export function newOrganization(given: {
  readonly id: string;
  readonly name: string;
  readonly now: Date;
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

/** An organization as answered. */
export function organizationAnswer(organization: OrganizationDocument): Organization {
  return {
    id: organization._id,
    created_at: organization.created_at.toISOString(),
    updated_at: organization.updated_at.toISOString(),
    name: organization.name,
    api_access_enabled: organization.api_access_enabled,
    require_second_factor: requiresSecondFactor(organization),
    password_login: admitsPasswords(organization),
    max_key_lifetime_days: maxLifetimeOf(organization),
    ...profileAnswer(organization),
  };
}

/** The profile of an organization as answered. */
export function profileAnswer({ company_size, job_title }: OrganizationDocument): Profile {
  return { company_size, job_title };
}
