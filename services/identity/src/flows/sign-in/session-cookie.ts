import { stringifySetCookie } from "cookie";
import { SESSION_COOKIE } from "@nts/shared/credential";
import { LONGEST_MS } from "../../model/session-lifetime.rules.js";

/** Creates `Set-Cookie` values. */
export interface SessionCookies {
  /** Kept by the browser as long as a session can last; the actual end is decided here. */
  carrying(token: string): string;
  /**
   * Sets or clears the token. A browser that sent several session cookies has one set by another page or subdomain, so
   * cookies of all applicable paths and domains are cleared.
   *
   * @param sent number of session cookies in the request
   */
  replacing(sent: number, token: string | null): string[];
}

/** Cookie paths that match operations. */
const PATHS = ["/", "/api", "/api/", "/api/auth", "/api/auth/", "/api/v1", "/api/v1/"];

/** @param publicUrl with https, the cookie is `Secure` */
export function createSessionCookies(publicUrl: string): SessionCookies {
  const attributes = {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: new URL(publicUrl).protocol === "https:",
  } as const;
  const cookie = (value: string, maxAge: number, place: { path?: string; domain?: string } = {}): string =>
    stringifySetCookie({ ...attributes, ...place, name: SESSION_COOKIE, value, maxAge });
  const strays = [
    ...PATHS.slice(1).map((path) => ({ path })),
    ...domainsOf(publicUrl).flatMap((domain) => PATHS.map((path) => ({ path, domain }))),
  ];
  const carrying = (token: string): string => cookie(token, LONGEST_MS / 1000);
  return {
    carrying,
    replacing: (sent, token) => [
      token === null ? cookie("", 0) : carrying(token),
      ...(sent > 1 ? strays.map((place) => cookie("", 0, place)) : []),
    ],
  };
}

/** The host of a URL and up to three parent domains for cookies; empty for an address or a single label. */
function domainsOf(url: string): string[] {
  const { hostname } = new URL(url);
  const labels = hostname.split(".");
  if (labels.length < 2 || /^[\d.]+$|:/.test(hostname)) return [];
  return labels
    .slice(0, -1)
    .map((_, index) => labels.slice(index).join("."))
    .slice(-3);
}
