import { isServiceAddress } from "@nts/shared/contract/users";

// A provider's claims about a person. Claims not in the form of OpenID Connect count as absent.

/** A person at a provider. */
export interface ProviderPerson {
  readonly subject: string;
  /** Lower case; null if absent or invalid. */
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly groups: readonly string[];
  /** Session id for logout by the provider; null if absent. */
  readonly sessionId: string | null;
}

/** Claims of a verified ID token, merged with UserInfo. */
export type Claims = Readonly<Record<string, unknown>>;

/** Accepted clock skew in seconds. */
export const CLOCK_SECONDS = 30;

const MOST_GROUPS = 1_000;

/** Checks beyond those of the library; null if the ID token is valid. @param now in seconds */
export function faultOfToken(claims: Claims, clientId: string, now: number): string | null {
  const { sub, azp, iat } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > 255) return "the subject";
  if (azp !== undefined && azp !== clientId) return "the authorized party";
  if (typeof iat !== "number" || iat > now + CLOCK_SECONDS) return "the time of issue";
  return null;
}

/** @param trustsAddresses the provider verifies all addresses without saying so */
export function personIn(claims: Claims, groupsClaim: string, trustsAddresses: boolean): ProviderPerson {
  const { sub, email, email_verified, sid } = claims;
  const address = typeof email === "string" ? email.trim().toLowerCase() : "";
  const isAddress = !isServiceAddress(address) && address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address);
  const groups = claims[groupsClaim];
  return {
    subject: String(sub),
    email: isAddress ? address : null,
    isVerified: isAddress && (email_verified === true || (trustsAddresses && email_verified === undefined)),
    groups: (Array.isArray(groups) ? groups : [groups]).slice(0, MOST_GROUPS).filter((one) => typeof one === "string"),
    sessionId: typeof sid === "string" && sid !== "" && sid.length <= 255 ? sid : null,
  };
}

/** Whether UserInfo must be requested for claims missing from the ID token. */
export function lacks(claims: Claims, groupsClaim: string | null): boolean {
  return claims["email"] === undefined || (groupsClaim !== null && claims[groupsClaim] === undefined);
}
