import type { Identity } from "@nts/shared/contract/providers";

/** An account at a provider that signs a user in. */
export interface LinkedIdentity {
  /** Names issuer and subject, in all users once. */
  key: string;
  /** The id of the provider that linked it. */
  provider: string;
  email: string | null;
  linked_at: Date;
  last_used: Date | null;
}

/** By whom a session began. */
export interface SignedInBy {
  /** The id of the provider. */
  id: string;
  /** Names issuer and session there; null where the provider names none. */
  session: string | null;
}

/** The identities of a user as answered. @param names of the providers there are, by id */
export function identitiesAnswer(
  identities: readonly LinkedIdentity[],
  names: ReadonlyMap<string, string>,
): Identity[] {
  return identities.map(({ provider, email, linked_at, last_used }) => ({
    ...{ provider, name: names.get(provider) ?? provider, email },
    ...{ linked_at: linked_at.toISOString(), last_used: last_used?.toISOString() ?? null },
  }));
}
