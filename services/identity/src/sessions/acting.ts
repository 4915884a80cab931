import { admitsPasswords, type OrganizationDocument, requiresSecondFactor } from "../organizations/organization.js";

/** How a session was authenticated. */
export interface SignInProof {
  /** The provider: for one organization, or for all; undefined with a password. */
  readonly provider: "bound" | "free" | "none";
  /** With a second factor code. */
  readonly isConfirmed: boolean;
}

/** Why a session cannot continue in another organization; null if it can. */
export function switchFaultOf(
  organization: OrganizationDocument,
  { provider, isConfirmed }: SignInProof,
): "provider_bound" | "password_login_disabled" | "confirmation_required" | null {
  if (provider === "bound") return "provider_bound";
  if (provider === "none" && !admitsPasswords(organization)) return "password_login_disabled";
  return requiresSecondFactor(organization) && !isConfirmed ? "confirmation_required" : null;
}
