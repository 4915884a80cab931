import type { SignedInBy } from "../providers/identity.rules.js";
import type { ProviderSettings } from "../providers/settings.js";
import { isGuarded } from "../second-factor/factor.js";
import type { UserDocument } from "../users/user.js";
import type { SignInProof } from "./acting.js";
import type { SessionDocument } from "./session.js";

/** How a session was authenticated, by the current providers. */
export type SignInProofOf = (session: SessionDocument, user: UserDocument) => SignInProof;

export function createSignInProofOf(providers: readonly ProviderSettings[]): SignInProofOf {
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
