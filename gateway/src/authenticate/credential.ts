import type { IncomingHttpHeaders } from "node:http";
import { isCollectorKey, isShareSecret, isWellFormedApiKey } from "@nts/shared/api-key";
import { BROWSER_COOKIE, hashCredential, isWellFormedSession, SESSION_COOKIE } from "@nts/shared/credential";

/** A well-formed credential, represented by its hash alone. */
export interface Credential {
  readonly kind: "key" | "session" | "share" | "collector";
  readonly hash: string;
}

/**
 * The credentials of a request: none, several sessions (another page or a subdomain has set a second cookie),
 * malformed, or one to verify.
 */
export type Presented =
  | { readonly kind: "nothing" | "ambiguous" }
  | { readonly kind: "malformed"; readonly code: "api_key_invalid" | "session_expired" }
  | Credential;

/**
 * Extracts the credential of a request. With a bearer token the cookie is ignored; other schemes of `Authorization` are
 * ignored.
 */
export function readCredential(headers: IncomingHttpHeaders): Presented {
  const bearer = bearerOf(headers.authorization);
  if (bearer !== null)
    return isWellFormedApiKey(bearer)
      ? { kind: kindOf(bearer), hash: hashCredential(bearer) }
      : { kind: "malformed", code: "api_key_invalid" };
  const [session, another] = sessionsOf(headers.cookie);
  if (session === undefined) return { kind: "nothing" };
  if (another !== undefined) return { kind: "ambiguous" };
  return isWellFormedSession(session)
    ? { kind: "session", hash: hashCredential(session) }
    : { kind: "malformed", code: "session_expired" };
}

function kindOf(key: string): Credential["kind"] {
  if (isShareSecret(key)) return "share";
  return isCollectorKey(key) ? "collector" : "key";
}

// Browsers send a handful; the bound limits the work of hashing them.
const MOST_SESSIONS = 8;

/** Hashes of a request's session cookies, for operations that end sessions; empty with a bearer token. */
export function sessionHashesOf({ authorization, cookie }: IncomingHttpHeaders): string[] {
  if (bearerOf(authorization) !== null) return [];
  return sessionsOf(cookie).slice(0, MOST_SESSIONS).map(hashCredential);
}

/** Hashes of the cookies that bind a provider sign-in to its browser. */
export function browserHashesOf({ cookie }: IncomingHttpHeaders): string[] {
  return cookiesOf(cookie, BROWSER_COOKIE).slice(0, MOST_SESSIONS).map(hashCredential);
}

/** The values of all session cookies in a `Cookie` header; browsers normally send one at most. */
export function sessionsOf(cookies: string | undefined): string[] {
  return cookiesOf(cookies, SESSION_COOKIE);
}

function cookiesOf(cookies: string | undefined, name: string): string[] {
  if (cookies?.includes(name) !== true) return [];
  return cookies.split(";").flatMap((pair) => {
    const cut = pair.indexOf("=");
    if (cut === -1 || pair.slice(0, cut).trim() !== name) return [];
    return [
      pair
        .slice(cut + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1"),
    ];
  });
}

function bearerOf(authorization: string | undefined): string | null {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? "");
  return match === null ? null : (match[1] ?? "");
}
