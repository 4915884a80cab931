import { admitsPasswords, type OrganizationDocument, requiresSecondFactor } from "./organization.js";
import type { SignedInBy } from "./linked-identity.rules.js";
import { isGuarded, type UserDocument } from "./user.js";
import type { SessionDocument } from "./session.js";

/** How a session was authenticated. */
export interface SignInProof {
  /** The provider: for one organization, or for all; undefined with a password. */
  readonly provider: "bound" | "free" | "none";
  /** With a second factor code. */
  readonly isConfirmed: boolean;
}

/** A provider, which signs in the users of one organization or, without it, of all. */
interface Provider {
  readonly id: string;
  readonly organization_id?: string | undefined;
}

/** How a session was authenticated, by the current providers. */
export type SignInProofOf = (session: SessionDocument, user: UserDocument) => SignInProof;

export function createSignInProofOf(providers: readonly Provider[]): SignInProofOf {
  const free = new Set(providers.flatMap(({ id, organization_id }) => (organization_id === undefined ? [id] : [])));
  const kindOf = (provider: SignedInBy | undefined): SignInProof["provider"] => {
    if (provider === undefined) return "none";
    return free.has(provider.id) ? "free" : "bound";
  };
  return ({ provider, confirmed_at }, user) => ({
    provider: kindOf(provider),
    isConfirmed: isGuarded(user) && confirmed_at !== undefined,
  });
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
