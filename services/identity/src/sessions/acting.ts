import { admitsPasswords, type OrganizationDocument, requiresSecondFactor } from "../organizations/organization.js";

/** What a session has shown of who it belongs to. */
export interface Shown {
  /** Who signed the user in: a provider for one organization only, or one for all of them; nobody where it was a password. */
  readonly provider: "bound" | "free" | "none";
  /** A code of the second factor was given in it. */
  readonly isConfirmed: boolean;
}

/** Why a session cannot go on in another organization; null when it can. */
export function barTo(
  organization: OrganizationDocument,
  { provider, isConfirmed }: Shown,
): "provider_bound" | "password_login_disabled" | "confirmation_required" | null {
  if (provider === "bound") return "provider_bound";
  if (provider === "none" && !admitsPasswords(organization)) return "password_login_disabled";
  return requiresSecondFactor(organization) && !isConfirmed ? "confirmation_required" : null;
}
