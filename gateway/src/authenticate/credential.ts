import type { IncomingHttpHeaders } from "node:http";
import { isWellFormedApiKey } from "@nts/shared/api-key";
import { BROWSER_COOKIE, hashCredential, isWellFormedSession, SESSION_COOKIE } from "@nts/shared/credential";

/** A well-formed credential, known from here on by its hash alone. */
export interface Credential {
  readonly kind: "key" | "session";
  readonly hash: string;
}

/**
 * What a request brings: nothing, several sessions (another page or a subdomain has put a cookie in front of ours),
 * something that cannot be a credential, or a credential to be checked.
 */
export type Presented =
  | { readonly kind: "nothing" | "ambiguous" }
  | { readonly kind: "malformed"; readonly code: "api_key_invalid" | "session_expired" }
  | Credential;

/**
 * Finds the credential of a request. A bearer decides and the cookie is then not looked at; another scheme of
 * `Authorization` counts as nothing.
 */
export function readCredential(headers: IncomingHttpHeaders): Presented {
  const bearer = bearerOf(headers.authorization);
  if (bearer !== null)
    return isWellFormedApiKey(bearer)
      ? { kind: "key", hash: hashCredential(bearer) }
      : { kind: "malformed", code: "api_key_invalid" };
  const [session, another] = sessionsOf(headers.cookie);
  if (session === undefined) return { kind: "nothing" };
  if (another !== undefined) return { kind: "ambiguous" };
  return isWellFormedSession(session)
    ? { kind: "session", hash: hashCredential(session) }
    : { kind: "malformed", code: "session_expired" };
}

// What a browser sends is a handful; more of them are of no use but to somebody who makes us look for them.
const MOST_SESSIONS = 8;

/** Hashes of the session cookies of a request, for operations that end sessions; none beside a bearer. */
export function sessionHashesOf({ authorization, cookie }: IncomingHttpHeaders): string[] {
  if (bearerOf(authorization) !== null) return [];
  return sessionsOf(cookie).slice(0, MOST_SESSIONS).map(hashCredential);
}

/** Hashes of the cookies that bind a sign-in by a provider to its browser. */
export function browserHashesOf({ cookie }: IncomingHttpHeaders): string[] {
  return cookiesOf(cookie, BROWSER_COOKIE).slice(0, MOST_SESSIONS).map(hashCredential);
}

/** The contents of all session cookies in a `Cookie` header; an honest browser sends one at most. */
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
