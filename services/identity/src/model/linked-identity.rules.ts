import type { Identity } from "@nts/shared/contract/providers";

/** A provider account that signs a user in. */
export interface LinkedIdentity {
  /** Issuer and subject; unique across users. */
  key: string;
  /** The id of the provider that linked it. */
  provider: string;
  email: string | null;
  linked_at: Date;
  last_used: Date | null;
}

/** How a session started. */
export interface SignedInBy {
  /** The id of the provider. */
  id: string;
  /** Issuer and session at the provider; null if it has no session ids. */
  session: string | null;
}

/** A user's identities as returned to clients. @param names of the configured providers by id */
export function identitiesResponse(
  identities: readonly LinkedIdentity[],
  names: ReadonlyMap<string, string>,
): Identity[] {
  return identities.map(({ provider, email, linked_at, last_used }) => ({
    ...{ provider, name: names.get(provider) ?? provider, email },
    ...{ linked_at: linked_at.toISOString(), last_used: last_used?.toISOString() ?? null },
  }));
}
