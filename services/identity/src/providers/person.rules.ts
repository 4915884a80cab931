// What a provider says of who signs in there. Whatever is not of the form that OpenID Connect gives it counts as not said.

/** Somebody at a provider. */
export interface ProviderPerson {
  readonly subject: string;
  /** Lower case; null when none was said that could be one. */
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly groups: readonly string[];
  /** Of the session there, by which the provider ends it; null when it does not say. */
  readonly sessionId: string | null;
}

/** Claims of an ID token whose signature, issuer, audience and times are good, with those of the UserInfo answer. */
export type Claims = Readonly<Record<string, unknown>>;

/** Seconds by which the clock of a provider may be off. */
export const CLOCK_SECONDS = 30;

const MOST_GROUPS = 1_000;

/** Why an ID token is not to be believed beyond what the library checks; null when it is. @param now in seconds */
export function faultOfToken(claims: Claims, clientId: string, now: number): string | null {
  const { sub, azp, iat } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > 255) return "the subject";
  if (azp !== undefined && azp !== clientId) return "the authorized party";
  if (typeof iat !== "number" || iat > now + CLOCK_SECONDS) return "the time of issue";
  return null;
}

/** @param trustsAddresses the provider verifies all addresses, and does not say so */
export function personIn(claims: Claims, groupsClaim: string, trustsAddresses: boolean): ProviderPerson {
  const { sub, email, email_verified, sid } = claims;
  const address = typeof email === "string" ? email.trim().toLowerCase() : "";
  const isAddress = address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address);
  const groups = claims[groupsClaim];
  return {
    subject: String(sub),
    email: isAddress ? address : null,
    isVerified: isAddress && (email_verified === true || (trustsAddresses && email_verified === undefined)),
    groups: (Array.isArray(groups) ? groups : [groups]).slice(0, MOST_GROUPS).filter((one) => typeof one === "string"),
    sessionId: typeof sid === "string" && sid !== "" && sid.length <= 255 ? sid : null,
  };
}

/** Whether the UserInfo answer has to be asked for what the ID token does not say. */
export function lacks(claims: Claims, groupsClaim: string | null): boolean {
  return claims["email"] === undefined || (groupsClaim !== null && claims[groupsClaim] === undefined);
}
